// Requests of the server to this client: sampling, elicitation, roots, and the answers.
#include "client_fixture.hpp"

namespace lanyard {
namespace {

constexpr auto legacy = Version::v2025_11_25;
constexpr auto sampling_params =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":5})";

CreateMessageResult say(std::string text) {
    CreateMessageResult result;
    result.model = "m";
    TextContent content;
    content.text = std::move(text);
    result.content.emplace_back(std::move(content));
    return result;
}

ElicitResult accept(JsonObject content) {
    ElicitResult result;
    result.action = ElicitAction::accept;
    result.content = std::move(content);
    return result;
}

class Handlers : public ClientTest {
protected:
    /// Returns the capabilities that the client declares.
    Json declared(ClientOptions const& options) {
        auto connecting = start(connect(make_transport(), timed(options)));
        server->error(server->expect("server/discover"), -32601);
        auto const opening = server->expect("initialize");
        server->close();
        EXPECT_TRUE(connecting.done());
        return opening.at("params").at("capabilities");
    }
    Json ask(std::string_view method, std::string_view params) {
        server->request(7, method, params);
        return server->next();
    }
    static std::string form(std::string_view properties, std::string_view required = "[]") {
        return R"({"message":"?","requestedSchema":{"type":"object","properties":)" +
               std::string(properties) + R"(,"required":)" + std::string(required) + "}}";
    }
};

TEST_F(Handlers, handlers_that_are_set_are_declared) {
    EXPECT_EQ(declared({}), json_of("{}"));
    ClientOptions options;
    options.on_sampling([](CreateMessageParams) { return say("x"); });
    options.on_elicitation([](ElicitFormParams) { return ElicitResult(); });
    options.roots({});
    EXPECT_EQ(declared(options), json_of(R"({"sampling":{},"elicitation":{"form":{}},)"
                                         R"("roots":{"listChanged":true}})"));
    ClientOptions all;
    all.on_sampling([](CreateMessageParams) -> Task<CreateMessageResult> { co_return say("x"); });
    all.sampling_with_tools(true).sampling_with_context(true);
    all.on_url_elicitation([](ElicitUrlParams) { return ElicitResult(); });
    all.on_roots([] { return std::vector<Root>(); });
    ClientCapabilities extra;
    extra.experimental["acme"] = JsonObject();
    all.capabilities(extra);
    EXPECT_EQ(declared(all), json_of(R"({"sampling":{"tools":{},"context":{}},)"
                                     R"("elicitation":{"url":{}},"roots":{"listChanged":true},)"
                                     R"("experimental":{"acme":{}}})"));
}

TEST_F(Handlers, sampling_is_answered) {
    ClientOptions options;
    options.on_sampling([](CreateMessageParams params) {
        EXPECT_EQ(params.max_tokens, 5);
        return say("hello");
    });
    open(legacy, options);
    auto const answer = ask("sampling/createMessage", sampling_params);
    EXPECT_EQ(answer.at("id"), 7);
    EXPECT_EQ(answer.at("result").at("content").at("text"), "hello");
    EXPECT_EQ(answer.at("result").at("model"), "m");
}

TEST_F(Handlers, a_coroutine_may_wait_for_calls_of_its_client) {
    ClientOptions options;
    options.on_sampling([this](CreateMessageParams) -> Task<CreateMessageResult> {
        auto text = co_await client.call<std::string>("help");
        co_return say(text);
    });
    open(legacy, options);
    EXPECT_TRUE(ask("ping", "{}").as_object().contains("result"));
    server->request(7, "sampling/createMessage", sampling_params);
    auto const nested = server->expect("tools/call");
    // Other requests are answered in the meantime.
    server->request(8, "ping", "{}");
    EXPECT_EQ(server->next().at("id"), 8);
    server->result(nested, R"({"content":[{"type":"text","text":"deep"}]})");
    EXPECT_EQ(server->next().at("result").at("content").at("text"), "deep");
}

TEST_F(Handlers, requests_without_a_handler_are_refused) {
    open(legacy);
    for (auto const* method :
         {"sampling/createMessage", "elicitation/create", "roots/list", "tools/list", "acme/x"}) {
        EXPECT_EQ(ask(method, "{}").at("error").at("code"), -32601) << method;
    }
}

TEST_F(Handlers, questions_are_answered_in_every_revision_with_a_handshake) {
    for (auto const version : {Version::v2024_11_05, Version::v2025_03_26, Version::v2025_06_18}) {
        ClientOptions options;
        options.on_sampling([](CreateMessageParams) { return say("x"); });
        options.on_elicitation([](ElicitFormParams) { return accept({{"name", "Ada"}}); });
        options.on_url_elicitation([](ElicitUrlParams) { return accept({}); });
        options.roots({});
        open(version, options);
        auto const answer =
            ask("elicitation/create", form(R"({"name":{"type":"string"}})", R"(["name"])"));
        EXPECT_EQ(answer.at("result").at("content").at("name"), "Ada");
        auto const visit = ask("elicitation/create", R"({"mode":"url","message":"?",)"
                                                     R"("url":"https://a.b","elicitationId":"e"})");
        EXPECT_EQ(visit.at("result").at("action"), "accept");
        EXPECT_EQ(ask("sampling/createMessage", sampling_params).at("result").at("model"), "m");
        EXPECT_TRUE(ask("roots/list", "{}").at("result").at("roots").is_array());
    }
}

TEST_F(Handlers, requests_without_a_handler_are_refused_in_every_revision) {
    open(Version::v2025_03_26);
    EXPECT_EQ(ask("elicitation/create", "{}").at("error").at("code"), -32601);
    EXPECT_EQ(ask("tasks/list", "{}").at("error").at("code"), -32601);
}

TEST_F(Handlers, elicitation_is_declared_in_every_revision) {
    ClientOptions options;
    options.on_elicitation([](ElicitFormParams) { return ElicitResult(); });
    options.versions({Version::v2025_03_26});
    auto connecting = start(connect(make_transport(), timed(options)));
    auto const opening = server->expect("initialize");
    EXPECT_EQ(opening.at("params").at("capabilities"), json_of(R"({"elicitation":{}})"));
    server->close();
    EXPECT_TRUE(connecting.done());
}

TEST_F(Handlers, a_handler_of_log_messages_is_enough_to_get_them) {
    ClientOptions options;
    options.on_log([](LoggingMessageParams const&) {});
    auto const level_of = [&](std::string_view method) {
        auto const meta = server->expect(method).at("params").at("_meta");
        auto const* level = meta.as_object().if_contains("io.modelcontextprotocol/logLevel");
        return level != nullptr ? std::string(level->as_string()) : "none";
    };
    open(Version::v2026_07_28, options);
    auto listing = start(client.list_tools_page());
    EXPECT_EQ(level_of("tools/list"), "info");
    start(client.set_log_level(LoggingLevel::debug)).value();
    auto again = start(client.list_tools_page());
    EXPECT_EQ(level_of("tools/list"), "debug");
    // No level is sent without a handler, or to a server that does not declare logging.
    open(Version::v2026_07_28);
    auto without_handler = start(client.list_tools_page());
    EXPECT_EQ(level_of("tools/list"), "none");
    open(Version::v2026_07_28, options, R"({"tools":{}})");
    auto none = start(client.list_tools_page());
    EXPECT_EQ(level_of("tools/list"), "none");
}

TEST_F(Handlers, bad_params_are_refused) {
    ClientOptions options;
    options.on_sampling([](CreateMessageParams) { return say("x"); });
    options.on_elicitation([](ElicitFormParams) { return ElicitResult(); });
    open(legacy, options);
    EXPECT_EQ(ask("sampling/createMessage", R"({"messages":7})").at("error").at("code"), -32602);
    EXPECT_EQ(ask("elicitation/create", R"({"message":7})").at("error").at("code"), -32602);
    // A request with tools to a client that has not declared support for them.
    EXPECT_EQ(ask("sampling/createMessage",
                  R"({"messages":[],"maxTokens":5,"toolChoice":{"mode":"auto"}})")
                  .at("error")
                  .at("code"),
              -32602);
    // A tool use without a tool result.
    EXPECT_EQ(
        ask("sampling/createMessage", R"({"maxTokens":5,"messages":[{"role":"assistant","content":)"
                                      R"({"type":"tool_use","id":"1","name":"n","input":{}}}]})")
            .at("error")
            .at("code"),
        -32602);
    // A mode that is not declared, and a form that cannot be filled in.
    EXPECT_EQ(ask("elicitation/create",
                  R"({"mode":"url","message":"?","url":"https://a.b","elicitationId":"1"})")
                  .at("error")
                  .at("code"),
              -32602);
    EXPECT_EQ(ask("elicitation/create", form(R"({"n":{"type":"integer","minimum":5,"maximum":1}})"))
                  .at("error")
                  .at("code"),
              -32602);
}

TEST_F(Handlers, a_handler_may_throw_anything) {
    int round = 0;
    ClientOptions options;
    options.on_sampling([&](CreateMessageParams) -> CreateMessageResult {
        switch (round++) {
            case 0:
                throw std::runtime_error("secret");
            case 1:
                throw 7;
            case 2:
                throw std::bad_alloc();
            default:
                throw Refusal(RefusalReason::safety, "no way");
        }
    });
    open(legacy, options);
    for (int i = 0; i < 3; ++i) {
        auto const answer = ask("sampling/createMessage", sampling_params);
        EXPECT_EQ(answer.at("error").at("code"), -32603);
        EXPECT_EQ(boost::json::serialize(answer).find("secret"), std::string::npos);
    }
    EXPECT_EQ(ask("sampling/createMessage", sampling_params).at("error").at("code"), 1002);
    ASSERT_EQ(diagnostics.size(), 3U);
    EXPECT_NE(diagnostics[0].find("secret"), std::string::npos);
}

TEST_F(Handlers, a_cancelled_request_is_not_answered_and_its_handler_unwinds) {
    bool unwound = false;
    struct Notes {
        bool& gone;
        ~Notes() { gone = true; }
    };
    ClientOptions options;
    options.on_sampling([&](CreateMessageParams) -> Task<CreateMessageResult> {
        Notes const notes{unwound};
        co_await sleep_until(time, time.now() + 1h);
        co_return say("late");
    });
    open(legacy, options);
    server->request(7, "sampling/createMessage", sampling_params);
    EXPECT_FALSE(unwound);
    server->notify("notifications/cancelled", R"({"requestId":7})");
    EXPECT_TRUE(unwound);
    EXPECT_TRUE(server->silent());
    // The same when the connection ends.
    unwound = false;
    server->request(8, "sampling/createMessage", sampling_params);
    client.close();
    poll();
    EXPECT_TRUE(unwound);
}

TEST_F(Handlers, a_form_is_answered_with_its_defaults_filled_in) {
    JsonObject content{{"name", "Ada"}};
    ClientOptions options;
    options.on_elicitation([&](ElicitFormParams params) {
        EXPECT_EQ(params.message, "?");
        return accept(content);
    });
    open(legacy, options);
    auto const asked =
        form(R"({"name":{"type":"string"},"n":{"type":"integer","default":3},)"
             R"("x":{"type":"number","default":1.5},"ok":{"type":"boolean","default":true},)"
             R"("color":{"type":"string","enum":["red","green"],"default":"red"},)"
             R"("mail":{"type":"string","format":"email"}})",
             R"(["name"])");
    auto const answer = ask("elicitation/create", asked);
    EXPECT_EQ(answer.at("result"),
              json_of(R"({"action":"accept","content":{"name":"Ada","n":3,"x":1.5,"ok":true,)"
                      R"("color":"red"}})"));
    // Content that does not match the requested schema is not sent.
    for (auto const* wrong :
         {R"({})", R"({"name":7})", R"({"name":"a","n":"x"})", R"({"name":"a","color":"blue"})",
          R"({"name":"a","mail":"nobody"})", R"({"name":"a","other":1})"}) {
        content = json_of(wrong).as_object();
        EXPECT_EQ(ask("elicitation/create", asked).at("error").at("code"), -32603) << wrong;
    }
}

TEST_F(Handlers, a_form_may_be_declined_and_accepted_empty) {
    ElicitResult result;
    result.action = ElicitAction::decline;
    result.content = JsonObject{{"leak", 1}};
    ClientOptions options;
    options.on_elicitation([&](ElicitFormParams) { return result; });
    open(legacy, options);
    auto const asked = form(R"({"n":{"type":"integer"}})");
    EXPECT_EQ(ask("elicitation/create", asked).at("result"), json_of(R"({"action":"decline"})"));
    result.action = ElicitAction::accept;
    result.content.reset();
    EXPECT_EQ(ask("elicitation/create", asked).at("result"),
              json_of(R"({"action":"accept","content":{}})"));
}

TEST_F(Handlers, a_url_is_checked_and_answered_without_content) {
    ClientOptions options;
    options.on_url_elicitation([](ElicitUrlParams params) {
        EXPECT_EQ(params.url, "https://a.example/");
        return accept(JsonObject{{"leak", 1}});
    });
    std::vector<std::string> completed;
    options.on_elicitation_complete([&](std::string id) { completed.push_back(id); });
    open(legacy, options);
    EXPECT_EQ(ask("elicitation/create",
                  R"({"mode":"url","message":"?","url":"https://a.example/","elicitationId":"1"})")
                  .at("result"),
              json_of(R"({"action":"accept"})"));
    EXPECT_EQ(ask("elicitation/create",
                  R"({"mode":"url","message":"?","url":"file:///etc","elicitationId":"1"})")
                  .at("error")
                  .at("code"),
              -32602);
    server->notify("notifications/elicitation/complete", R"({"elicitationId":"1"})");
    EXPECT_EQ(completed, std::vector<std::string>{"1"});
}

TEST_F(Handlers, roots_are_listed_replaced_and_announced) {
    ClientOptions options;
    options.roots({Root{"file:///a", "A"}});
    open(legacy, options);
    EXPECT_EQ(ask("roots/list", "{}").at("result"),
              json_of(R"({"roots":[{"uri":"file:///a","name":"A"}]})"));
    auto replacing = start(client.set_roots(std::vector{Root{"file:///b", ""}}));
    EXPECT_TRUE(replacing.value());
    server->expect("notifications/roots/list_changed");
    EXPECT_EQ(ask("roots/list", "{}").at("result"), json_of(R"({"roots":[{"uri":"file:///b"}]})"));
    EXPECT_TRUE(
        start(client.set_roots(std::vector{Root{"/c", ""}})).error().is(Errc::invalid_argument));
    EXPECT_TRUE(server->silent());
    EXPECT_TRUE(start(client.notify_roots_changed()).value());
    server->expect("notifications/roots/list_changed");
}

TEST_F(Handlers, roots_may_be_computed_by_a_handler) {
    std::string uri = "file:///a";
    ClientOptions options;
    options.on_roots([&]() -> Task<std::vector<Root>> {
        std::vector<Root> roots;
        roots.push_back(Root{uri, ""});
        co_return roots;
    });
    open(legacy, options);
    EXPECT_EQ(ask("roots/list", "{}").at("result"), json_of(R"({"roots":[{"uri":"file:///a"}]})"));
    uri = "nothing";
    EXPECT_EQ(ask("roots/list", "{}").at("error").at("code"), -32603);
}

TEST_F(Handlers, requests_of_a_modern_server_are_not_answered) {
    ClientOptions options;
    options.roots({});
    open(Version::v2026_07_28, options);
    server->request(1, "roots/list", "{}");
    server->request(2, "ping", "{}");
    EXPECT_TRUE(server->silent());
    EXPECT_EQ(diagnostics.size(), 2U);
    // In this version roots are sent when requested; a change is not announced.
    EXPECT_TRUE(start(client.set_roots({})).value());
    EXPECT_TRUE(server->silent());
}

TEST_F(Handlers, notifications_reach_their_handlers_in_order) {
    std::vector<std::string> seen;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams message) { seen.push_back("log " + message.logger); });
    options.on_list_changed(
        [&](ListKind kind) { seen.push_back("list " + std::to_string(static_cast<int>(kind))); });
    options.on_resource_updated([&](std::string uri) { seen.push_back("updated " + uri); });
    options.on_task_status([&](TaskStatusParams status) { seen.push_back(status.task.task_id); });
    options.on_notification("acme/news", [&](std::string, RawJson params) {
        seen.push_back("news " + params.text());
        throw 5;
    });
    options.on_any_notification([&](std::string method, RawJson) { seen.push_back(method); });
    open(legacy, options);
    server->notify("notifications/message", R"({"level":"info","logger":"l","data":1})");
    server->notify("notifications/tools/list_changed");
    server->notify("notifications/prompts/list_changed");
    server->notify("notifications/resources/list_changed");
    server->notify("notifications/resources/updated", R"({"uri":"a:b"})");
    server->notify("acme/news", R"({"x":1})");
    server->notify("notifications/tasks/status",
                   R"({"taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z",)"
                   R"("lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null})");
    EXPECT_EQ(seen, (std::vector<std::string>{"log l", "notifications/message", "list 0",
                                              "notifications/tools/list_changed", "list 1",
                                              "notifications/prompts/list_changed", "list 2",
                                              "notifications/resources/list_changed", "updated a:b",
                                              "notifications/resources/updated", R"(news {"x":1})",
                                              "acme/news", "t", "notifications/tasks/status"}));
    EXPECT_EQ(diagnostics, std::vector<std::string>{"a handler of acme/news failed"});
    diagnostics.clear();
    server->notify("notifications/message", R"({"level":"loud"})");
    ASSERT_EQ(diagnostics.size(), 1U);
    EXPECT_NE(diagnostics[0].find("the server sent a bad notifications/message"),
              std::string::npos);
}

TEST_F(Handlers, one_notification_is_handled_at_a_time) {
    std::vector<std::string> seen;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams message) -> Task<> {
        seen.push_back("begin " + message.logger);
        co_await sleep_until(time, time.now() + 1s);
        if (message.logger == "a") throw std::runtime_error("tired");
        seen.push_back("end " + message.logger);
    });
    options.max_queued_notifications(2).notification_overflow(NotificationOverflow::drop_oldest);
    open(legacy, options);
    for (auto const* logger : {"a", "b", "c", "d"}) {
        server->notify("notifications/message",
                       R"({"level":"info","data":1,"logger":")" + std::string(logger) + "\"}");
    }
    EXPECT_EQ(seen, std::vector<std::string>{"begin a"});
    EXPECT_EQ(diagnostics.size(), 1U);  // one was dropped
    EXPECT_EQ(client.limit_counts().dropped, 1U);
    advance(1s);
    advance(1s);
    advance(1s);
    EXPECT_EQ(seen, (std::vector<std::string>{"begin a", "begin c", "end c", "begin d", "end d"}));
    EXPECT_EQ(diagnostics.back(), "a handler of notifications/message failed: tired");
}

TEST_F(Handlers, queued_notifications_are_limited_in_size) {
    std::size_t handled = 0;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams) -> Task<> {
        ++handled;
        co_await sleep_until(time, time.now() + 1s);
    });
    options.notification_overflow(NotificationOverflow::drop_oldest);
    open(legacy, options);
    std::string const megabyte(1024 * 1024, 'x');
    for (int i = 0; i < 20; ++i) {
        server->notify("notifications/message", R"({"level":"info","data":")" + megabyte + "\"}");
    }
    EXPECT_GE(diagnostics.size(), 3U);
    auto const dropped = diagnostics.size();
    for (int i = 0; i < 20; ++i) advance(1s);
    EXPECT_EQ(handled, 20U - dropped);
    server->notify("notifications/message", R"({"level":"info","data":1})");
    EXPECT_EQ(handled, 21U - dropped);
}

TEST_F(Handlers, progress_of_every_call_can_be_watched) {
    std::vector<double> seen;
    ClientOptions options;
    options.on_progress([&](ProgressParams const& update) { seen.push_back(update.progress); });
    open(legacy, options);
    auto calling = start(client.call_tool("x"));
    auto const request = server->expect("tools/call");
    auto const token = boost::json::serialize(request.at("params").at("_meta").at("progressToken"));
    server->notify("notifications/progress", R"({"progress":0.5,"progressToken":)" + token + "}");
    EXPECT_EQ(seen, std::vector<double>{0.5});

    CallOptions own;
    Meta meta;
    meta.set_progress_token("mine");
    own.meta(meta);
    auto other = start(client.call_tool("x", RawJson(), own));
    EXPECT_EQ(server->expect("tools/call").at("params").at("_meta").at("progressToken"), "mine");
    server->notify("notifications/progress", R"({"progress":0.7,"progressToken":"mine"})");
    EXPECT_EQ(seen.back(), 0.7);
}

TEST_F(Handlers, exceptions_of_on_diagnostic_are_ignored) {
    ClientOptions options;
    auto connecting = start(
        connect(make_transport(), timed(options).on_diagnostic([](std::string_view) { throw 1; })));
    server->error(server->expect("server/discover"), -32601);
    server->result(server->expect("initialize"), initialization());
    client = connecting.value();
    server->send("garbage");
    EXPECT_TRUE(client.is_open());
}

}  // namespace
}  // namespace lanyard
