// Handlers of a single call, and how the call of a question is found.
#include "unit/client/client_fixture.hpp"

namespace lanyard {
namespace {

constexpr auto legacy = Version::v2025_11_25;
constexpr auto modern = Version::v2026_07_28;
constexpr auto with_tasks =
    R"({"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";
constexpr auto done = R"({"content":[{"type":"text","text":"done"}]})";
constexpr auto task_started =
    R"({"task":{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z",)"
    R"("lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000}})";

constexpr auto several_calls =
    "the client does not answer the question: several calls are pending, and nothing shows to "
    "which of them the question belongs";

constexpr auto form_members =
    R"("message":"?","requestedSchema":{"type":"object","properties":{"who":{"type":"string"}}})";

/// A handler that answers every form with this name.
auto answers(std::string name) {
    return [name](ElicitFormParams) {
        ElicitResult result;
        result.action = ElicitAction::accept;
        result.content = JsonObject{{"who", name}};
        return result;
    };
}

class CallHandlersTest : public ClientTest {
protected:
    static ClientOptions declaring() { return ClientOptions().declare_elicitation(true); }
    /// Options with a handler that answers with this name.
    static CallOptions named(std::string name) {
        return CallOptions().on_elicitation(answers(std::move(name)));
    }
    Json ask_form(std::string_view meta = {}) {
        std::string params = "{" + std::string(form_members);
        if (!meta.empty()) params += R"(,"_meta":)" + std::string(meta);
        server->request(7, "elicitation/create", params + "}");
        return server->next();
    }
    static std::string who(Json const& answer) {
        auto const* const result = answer.as_object().if_contains("result");
        if (result == nullptr) return boost::json::serialize(answer);
        return std::string(result->at("content").at("who").as_string());
    }
    static std::string refusal(Json const& answer) {
        EXPECT_EQ(answer.at("error").at("code"), 1007);
        return std::string(answer.at("error").at("message").as_string());
    }
};

TEST_F(CallHandlersTest, capabilities_can_be_declared_without_handlers) {
    ClientOptions options;
    options.declare_elicitation(true).declare_url_elicitation(true).declare_roots(true);
    options.declare_sampling(true).sampling_with_tools(true);
    open(modern, options);
    auto calling = start(client.call_tool("x"));
    EXPECT_EQ(server->expect("tools/call")
                  .at("params")
                  .at("_meta")
                  .at("io.modelcontextprotocol/clientCapabilities"),
              json_of(R"({"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},)"
                      R"("roots":{}})"));
}

TEST_F(CallHandlersTest, the_handlers_of_the_only_call_come_before_those_of_the_client) {
    open(legacy, ClientOptions().on_elicitation(answers("client")));
    EXPECT_EQ(who(ask_form()), "client");
    auto calling = start(client.call_tool("x", named("call")));
    auto const request = server->expect("tools/call");
    EXPECT_EQ(who(ask_form()), "call");
    server->result(request, done);
    EXPECT_TRUE(calling.done());
    EXPECT_EQ(who(ask_form()), "client");
}

TEST_F(CallHandlersTest, every_kind_of_question_reaches_the_call) {
    ClientOptions options;
    options.declare_url_elicitation(true).declare_sampling(true).declare_roots(true);
    open(legacy, options);
    CallOptions of_call;
    of_call.on_url_elicitation([](ElicitUrlParams) -> Task<ElicitResult> {
        ElicitResult result;
        result.action = ElicitAction::decline;
        co_return result;
    });
    of_call.on_sampling([](CreateMessageParams) {
        CreateMessageResult result;
        result.model = "of the call";
        result.content.emplace_back(TextContent{"x"});
        return result;
    });
    of_call.on_roots([] { return std::vector{Root{"file:///call", ""}}; });
    auto calling = start(client.call_tool("x", of_call));
    server->expect("tools/call");
    server->request(1, "elicitation/create",
                    R"({"mode":"url","message":"?","url":"https://a.b","elicitationId":"e"})");
    EXPECT_EQ(server->next().at("result").at("action"), "decline");
    server->request(2, "sampling/createMessage", R"({"messages":[],"maxTokens":5})");
    EXPECT_EQ(server->next().at("result").at("model"), "of the call");
    server->request(3, "roots/list", "{}");
    EXPECT_EQ(server->next().at("result").at("roots").at(0).at("uri"), "file:///call");
}

TEST_F(CallHandlersTest, roots_of_the_call_come_before_the_roots_of_the_client) {
    open(legacy, ClientOptions().roots({Root{"file:///client", ""}}));
    CallOptions options;
    options.on_roots([] { return std::vector{Root{"file:///call", ""}}; });
    auto calling = start(client.call_tool("x", options));
    server->result(server->expect("tools/call"), done);
    server->request(3, "roots/list", "{}");
    EXPECT_EQ(server->next().at("result").at("roots").at(0).at("uri"), "file:///client");
    auto again = start(client.call_tool("x", options));
    server->expect("tools/call");
    server->request(4, "roots/list", "{}");
    EXPECT_EQ(server->next().at("result").at("roots").at(0).at("uri"), "file:///call");
}

TEST_F(CallHandlersTest, a_question_that_belongs_to_no_call_is_refused_with_the_reason) {
    open(legacy, declaring());
    EXPECT_EQ(refusal(ask_form()),
              "the client does not answer the question: no call with a handler for it is pending");
    auto first = start(client.call_tool("x", named("first")));
    server->expect("tools/call");
    auto second = start(client.call_tool("x", named("second")));
    auto const request = server->expect("tools/call");
    EXPECT_EQ(refusal(ask_form()), several_calls);
    server->result(request, done);
    EXPECT_EQ(who(ask_form()), "first");
}

TEST_F(CallHandlersTest, a_pending_call_without_handlers_makes_the_call_of_a_question_unclear) {
    open(legacy, declaring(),
         R"({"tools":{},"prompts":{},"resources":{},"completions":{},)"
         R"("tasks":{"requests":{"tools":{"call":{}}}}})");
    auto calling = start(client.call_tool("x", named("call")));
    server->expect("tools/call");
    auto const check = [&](std::string_view method, auto pending) {
        auto const request = server->expect(method);
        EXPECT_EQ(refusal(ask_form()), several_calls) << method;
        pending.cancel();
        server->expect("notifications/cancelled");
        EXPECT_EQ(who(ask_form()), "call") << method;
    };
    check("tools/call", start(client.call_tool("plain")));
    check("prompts/get", start(client.get_prompt("p")));
    check("resources/read", start(client.read_resource("a:b")));
    check("completion/complete", start(client.complete_prompt("p", "name", "a")));
    check("tasks/result", start(client.task_result("t1")));
    check("tools/call", start(client.start_tool_task("slow")));
    check("own/method", start(client.request("own/method")));
}

TEST_F(CallHandlersTest, the_end_of_a_call_without_handlers_makes_the_other_one_the_only_call) {
    open(legacy, declaring());
    auto calling = start(client.call_tool("x", named("call")));
    server->expect("tools/call");
    auto plain = start(client.call_tool("plain"));
    auto const request = server->expect("tools/call");
    EXPECT_EQ(refusal(ask_form()), several_calls);
    server->result(request, done);
    EXPECT_TRUE(plain.done());
    EXPECT_EQ(who(ask_form()), "call");
}

TEST_F(CallHandlersTest, requests_that_call_no_feature_do_not_count_as_pending_calls) {
    open(legacy, declaring());
    auto calling = start(client.call_tool("x", named("call")));
    server->expect("tools/call");
    auto pinging = start(client.ping());
    server->expect("ping");
    auto listing = start(client.list_tools());
    server->expect("tools/list");
    EXPECT_EQ(who(ask_form()), "call");
}

TEST_F(CallHandlersTest, the_client_answers_if_another_call_without_handlers_is_pending) {
    open(legacy, ClientOptions().on_elicitation(answers("client")));
    auto calling = start(client.call_tool("x", named("call")));
    server->expect("tools/call");
    auto plain = start(client.call_tool("plain"));
    server->expect("tools/call");
    EXPECT_EQ(who(ask_form()), "client");
}

TEST_F(CallHandlersTest, the_client_answers_if_several_calls_could) {
    open(legacy, ClientOptions().on_elicitation(answers("client")));
    auto first = start(client.call_tool("x", named("first")));
    auto second = start(client.call_tool("x", named("second")));
    server->expect("tools/call");
    server->expect("tools/call");
    EXPECT_EQ(who(ask_form()), "client");
}

TEST_F(CallHandlersTest, a_task_names_its_call) {
    open(legacy, declaring(), with_tasks);
    constexpr auto related = R"({"io.modelcontextprotocol/related-task":{"taskId":"t1"}})";
    auto other = start(client.call_tool("other", named("other")));
    server->expect("tools/call");
    EXPECT_EQ(refusal(ask_form(related)),
              "the client does not answer the question: no call of the task that it names has a "
              "handler for it");
    auto starting = start(client.start_tool_task("slow", {}, {}, named("starter")));
    server->result(server->expect("tools/call"), task_started);
    EXPECT_EQ(starting.value().task_id, "t1");
    EXPECT_EQ(who(ask_form(related)), "starter");
    // A call that waits for the result has precedence.
    auto waiting = start(client.task_result("t1", named("waiter")));
    auto const request = server->expect("tasks/result");
    EXPECT_EQ(who(ask_form(related)), "waiter");
    server->result(request, done);
    EXPECT_TRUE(waiting.done());
    EXPECT_EQ(ask_form(related).at("error").at("code"), 1007);
}

TEST_F(CallHandlersTest, handlers_of_a_cancelled_task_are_dropped) {
    open(legacy, declaring(), with_tasks);
    auto starting = start(client.start_tool_task("slow", {}, {}, named("starter")));
    server->result(server->expect("tools/call"), task_started);
    auto cancelling = start(client.cancel_task("t1"));
    server->result(server->expect("tasks/cancel"),
                   R"({"taskId":"t1","status":"cancelled","createdAt":"2026-01-01T00:00:00Z",)"
                   R"("lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000})");
    EXPECT_TRUE(cancelling.value());
    constexpr auto related = R"({"io.modelcontextprotocol/related-task":{"taskId":"t1"}})";
    EXPECT_EQ(ask_form(related).at("error").at("code"), 1007);
}

TEST_F(CallHandlersTest, handlers_of_a_thousand_tasks_are_kept_and_then_the_oldest_are_dropped) {
    open(legacy, declaring(), with_tasks);
    constexpr int most = 1'000;
    auto const start_task = [this](int number) {
        auto const id = "task " + std::to_string(number);
        auto starting = start(client.start_tool_task("slow", {}, {}, named(id)));
        server->result(server->expect("tools/call"),
                       R"({"task":{"taskId":")" + id +
                           R"(","status":"working","createdAt":"2026-01-01T00:00:00Z",)"
                           R"("lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000}})");
        EXPECT_EQ(starting.value().task_id, id);
    };
    auto const ask_in_task = [this](int number) {
        return ask_form(R"({"io.modelcontextprotocol/related-task":{"taskId":"task )" +
                        std::to_string(number) + R"("}})");
    };
    for (int i = 1; i <= most; ++i) start_task(i);
    EXPECT_EQ(who(ask_in_task(1)), "task 1");
    start_task(most + 1);
    EXPECT_EQ(ask_in_task(1).at("error").at("code"), 1007);
    EXPECT_EQ(who(ask_in_task(2)), "task 2");
    EXPECT_EQ(who(ask_in_task(most + 1)), "task 1001");
}

TEST_F(CallHandlersTest, a_question_inside_a_result_belongs_to_its_call) {
    open(modern, declaring());
    auto first = start(client.call_tool("x", named("first")));
    auto second = start(client.call_tool("x", named("second")));
    auto third = start(client.call_tool("x"));
    auto const asks = R"({"resultType":"input_required","inputRequests":{"q":)"
                      R"({"method":"elicitation/create","params":{)" +
                      std::string(form_members) + "}}}}";
    // All requests have arrived before the first retry.
    for (int i = 0; i < 3; ++i) server->result(server->expect("tools/call"), asks);
    EXPECT_TRUE(third.error().is(Errc::failed));
    EXPECT_NE(std::string(third.error().what()).find("the call has no handler for it"),
              std::string::npos);
    for (auto const* name : {"first", "second"}) {
        auto const retry = server->expect("tools/call");
        EXPECT_EQ(retry.at("params").at("inputResponses").at("q").at("content").at("who"), name);
    }
}

// A handler that waits for an hour, and reports its end a little after it was cancelled.
struct Slow {
    explicit Slow(testing::FakeTime& source) : time(source) {}

    Task<ElicitResult> operator()(ElicitFormParams) {
        running = true;
        try {
            co_await sleep_until(time, time.now() + 1h);
        } catch (boost::system::system_error const&) {
            cancelled = true;
        }
        co_await boost::asio::this_coro::throw_if_cancelled(false);
        co_await sleep_until(time, time.now() + 1s);
        running = false;
        throw std::runtime_error("cancelled");
    }

    testing::FakeTime& time;
    bool running = false;
    bool cancelled = false;
};

TEST_F(CallHandlersTest, a_call_ends_after_its_handlers) {
    open(legacy, declaring());
    Slow slow(time);
    CallOptions options;
    options.on_elicitation([&](ElicitFormParams form) { return slow(std::move(form)); });
    auto calling = start(client.call_tool("x", options));
    auto const request = server->expect("tools/call");
    EXPECT_TRUE(ask_form().is_null());
    EXPECT_TRUE(slow.running);
    server->result(request, done);
    EXPECT_TRUE(slow.cancelled);
    EXPECT_TRUE(slow.running);
    EXPECT_FALSE(calling.done());
    advance(1s);
    EXPECT_FALSE(slow.running);
    EXPECT_TRUE(calling.done());
    auto const answer = server->next();
    EXPECT_EQ(answer.at("id"), 7);
    EXPECT_EQ(answer.at("error").at("message"), "the call that the question belongs to has ended");
    EXPECT_TRUE(diagnostics.empty());
}

TEST_F(CallHandlersTest, a_cancelled_call_ends_after_its_handlers) {
    open(legacy, declaring());
    Slow slow(time);
    CallOptions options;
    options.on_elicitation([&](ElicitFormParams form) { return slow(std::move(form)); });
    auto calling = start(client.call_tool("x", options));
    server->expect("tools/call");
    EXPECT_TRUE(ask_form().is_null());
    calling.cancel();
    server->expect("notifications/cancelled");
    EXPECT_TRUE(slow.cancelled);
    EXPECT_FALSE(calling.done());
    advance(1s);
    EXPECT_FALSE(slow.running);
    EXPECT_TRUE(calling.error().is(Errc::cancelled));
}

TEST_F(CallHandlersTest, a_lost_connection_ends_handlers_and_calls) {
    open(legacy, declaring());
    Slow slow(time);
    CallOptions options;
    options.on_elicitation([&](ElicitFormParams form) { return slow(std::move(form)); });
    auto calling = start(client.call_tool("x", options));
    server->expect("tools/call");
    EXPECT_TRUE(ask_form().is_null());
    server->close();
    EXPECT_TRUE(slow.cancelled);
    advance(1s);
    EXPECT_FALSE(slow.running);
    EXPECT_TRUE(calling.error().is(Errc::transport_down));
}

}  // namespace
}  // namespace lanyard
