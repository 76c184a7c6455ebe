// Both ways of asking the client: the handler waits for the answer, or the client repeats the
// request.
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

struct Confirm {
    bool really = false;
    std::string why;
};
LANYARD_STRUCT(Confirm, (really, "Are you sure?"), (why, defaulted))

struct Path {
    std::string path;
};
LANYARD_STRUCT(Path, path)

struct Nested {
    Path inner;
};
LANYARD_STRUCT(Nested, inner)

constexpr auto all_capabilities =
    R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})";

class QuestionsTest : public ::testing::Test {
protected:
    QuestionsTest() {
        server.tool("purge", "", [this](Path in, Context& ctx) -> Task<std::string> {
            ++runs;
            auto const step = [this] { return ++effects; };
            auto const effect = co_await ctx.once("effect", step);
            auto const sure = co_await ctx.elicit<Confirm>("sure", "Delete " + in.path + "?");
            if (!sure || !sure->really) throw ToolError("the user declined");
            auto const again = co_await ctx.elicit<Confirm>("again", "Truly?");
            if (!again) throw ToolError("the user hesitated");
            co_return "purged " + in.path + " " + std::to_string(effect);
        });
        server.tool("all", "", [](Context& ctx) -> Task<std::string> {
            CreateMessageParams question;
            question.max_tokens = 10;
            auto form = ask_form<Confirm>("form", "Form?");
            auto model = ask_model("model", question);
            auto roots = ask_roots();
            auto const answers =
                co_await ctx.ask_all(std::move(form), std::move(model), std::move(roots));
            co_return std::get<1>(answers).model + " " + std::get<2>(answers).front().uri + " " +
                (std::get<0>(answers) ? "yes" : "no");
        });
        server.tool("nested", "",
                    [](Context& ctx) -> Task<> { co_await ctx.elicit<Nested>("n", "?"); });
        server.tool("stubborn", "", [](Context& ctx) -> Task<std::string> {
            try {
                co_await ctx.elicit<Confirm>("sure", "?");
            } catch (...) {
                co_return "swallowed";
            }
            co_return "answered";
        });
    }
    ~QuestionsTest() override {
        client.close();
        client.poll();
    }
    static std::string call(int id, std::string_view tool, std::string_view arguments = "{}",
                            std::string_view more = "") {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
               R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
               R"(","arguments":)" + std::string(arguments) + std::string(more) + "}}";
    }
    static std::string result(Json const& id, std::string_view result) {
        return R"({"jsonrpc":"2.0","id":)" + json::serialize(id) + R"(,"result":)" +
               std::string(result) + "}";
    }
    static std::string retry(Json const& asked, std::string_view responses) {
        return R"(,"inputResponses":)" + std::string(responses) + R"(,"requestState":)" +
               json::serialize(at(asked, "result", "requestState")) + "," +
               RawClient::meta(all_capabilities);
    }

    int runs = 0;
    int effects = 0;
    testing::FakeTime time;
    std::vector<std::string> logged;
    Server server{"s", "1", ServerOptions().time(time).on_log([this](auto, auto line) {
                      logged.emplace_back(line);
                  })};
    boost::asio::io_context context;
    RawClient client{context, server};
};

constexpr auto accepted = R"({"action":"accept","content":{"really":true}})";

TEST_F(QuestionsTest, a_question_is_sent_while_the_handler_waits) {
    client.initialize("2025-11-25", all_capabilities);
    auto const first = client.ask(call(1, "purge", R"({"path":"/tmp"})"));
    EXPECT_EQ(at(first, "method"), "elicitation/create");
    EXPECT_EQ(at(first, "params", "message"), "Delete /tmp?");
    EXPECT_EQ(at(first, "params", "requestedSchema", "properties", "really", "type"), "boolean");
    auto const second = client.ask(result(at(first, "id"), accepted));
    EXPECT_EQ(at(second, "params", "message"), "Truly?");
    auto const answer = client.ask(result(at(second, "id"), accepted));
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "purged /tmp 1");
    EXPECT_EQ(runs, 1);
}

TEST(ElicitedValue, is_the_answer_or_a_replacement) {
    Confirm yes{true, "because"};
    Confirm no{false, "replaced"};
    Elicited<Confirm> const accepted(yes);
    EXPECT_EQ(accepted.value().why, "because");
    EXPECT_EQ(accepted.value_or(no).why, "because");
    Elicited<Confirm> const declined(ElicitAction::decline);
    EXPECT_EQ(declined.value_or(no).why, "replaced");
    EXPECT_EQ(Elicited<Confirm>(yes).value().why, "because");
    EXPECT_EQ(Elicited<Confirm>(ElicitAction::cancel).value_or(no).why, "replaced");
}

TEST(ElicitedValue, throws_if_there_is_no_answer) {
    auto const message = [](Elicited<Confirm> const& answer) {
        try {
            answer.value();
        } catch (ToolError const& error) {
            return std::string(error.what());
        }
        return std::string("nothing was thrown");
    };
    EXPECT_EQ(message(Elicited<Confirm>(ElicitAction::decline)), "the user declined to answer");
    EXPECT_EQ(message(Elicited<Confirm>(ElicitAction::cancel)), "the user did not answer");
    EXPECT_THROW(Elicited<Confirm>(ElicitAction::cancel).value(), ToolError);
}

TEST_F(QuestionsTest, a_handler_that_needs_the_answer_ends_with_the_reason) {
    server.tool("need", "", [](Context& ctx) -> Task<std::string> {
        auto const sure = co_await ctx.elicit<Confirm>("sure", "Sure?");
        co_return sure.value().why;
    });
    client.initialize("2025-11-25", all_capabilities);
    auto const asked = client.ask(call(1, "need"));
    auto const answer = client.ask(result(at(asked, "id"), R"({"action":"decline"})"));
    EXPECT_EQ(at(answer, "result", "isError"), true);
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "the user declined to answer");
    EXPECT_EQ(at(answer, "result", "_meta", "lanyard/errorKind"), "failed");
}

TEST_F(QuestionsTest, a_question_needs_the_capability_and_no_revision) {
    for (auto const* version : {"2024-11-05", "2025-03-26", "2025-06-18"}) {
        RawClient one(context, server);
        one.initialize(version, R"({"elicitation":{}})");
        auto const asked = one.ask(call(1, "purge", R"({"path":"/tmp"})"));
        EXPECT_EQ(at(asked, "method"), "elicitation/create");
        EXPECT_EQ(at(asked, "params", "message"), "Delete /tmp?");
        one.send(result(at(asked, "id"), R"({"action":"decline"})"));
        EXPECT_EQ(at(one.next_json(), "result", "content", 0, "text"), "the user declined");
        one.close();
        one.poll();
    }
}

TEST_F(QuestionsTest, a_question_without_the_capability_is_a_failure_of_the_tool) {
    client.initialize("2025-11-25", "{}");
    auto const answer = client.ask(call(1, "purge", R"({"path":"/tmp"})"));
    EXPECT_EQ(at(answer, "result", "isError"), true);
    EXPECT_EQ(at(answer, "result", "content", 0, "text"),
              "the client has not declared the capability \"elicitation\" that "
              "elicitation/create needs");
}

TEST_F(QuestionsTest, a_question_makes_a_modern_client_repeat_its_request) {
    auto const meta = "," + RawClient::meta(all_capabilities);
    auto const arguments = R"({"path":"/tmp"})";
    auto const first = client.ask(call(1, "purge", arguments, meta));
    EXPECT_EQ(at(first, "result", "resultType"), "input_required");
    EXPECT_EQ(at(first, "result", "inputRequests", "sure", "method"), "elicitation/create");
    auto const second = client.ask(
        call(2, "purge", arguments, retry(first, R"({"sure":)" + std::string(accepted) + "}")));
    EXPECT_EQ(at(second, "result", "inputRequests", "again", "params", "message"), "Truly?");
    EXPECT_EQ(at(second, "result", "inputRequests", "sure"), nullptr);
    // The repeated arguments may be formatted differently.
    auto const answer = client.ask(
        call(3, "purge", R"({ "path" : "\/tmp" })",
             retry(second, R"({"again":)" + std::string(accepted) + R"(,"extra":{"roots":[]}})")));
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "purged /tmp 1");
    EXPECT_EQ(runs, 3);
    EXPECT_EQ(effects, 1);
}

TEST_F(QuestionsTest, a_handler_is_notified_that_its_question_was_declined) {
    auto const meta = "," + RawClient::meta(all_capabilities);
    auto const first = client.ask(call(1, "purge", R"({"path":"a"})", meta));
    auto const answer = client.ask(
        call(2, "purge", R"({"path":"a"})", retry(first, R"({"sure":{"action":"decline"}})")));
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "the user declined");
}

TEST_F(QuestionsTest, a_question_is_repeated_after_a_missing_or_invalid_answer) {
    auto const meta = "," + RawClient::meta(all_capabilities);
    auto const first = client.ask(call(1, "purge", R"({"path":"a"})", meta));
    for (auto const* responses : {"{}", R"({"sure":{"roots":[]}})", R"({"other":{"roots":[]}})"}) {
        auto const again = client.ask(call(2, "purge", R"({"path":"a"})", retry(first, responses)));
        EXPECT_TRUE(at(again, "result", "inputRequests", "sure").is_object()) << responses;
    }
    auto const bad = client.ask(
        call(3, "purge", R"({"path":"a"})",
             retry(first, R"({"sure":{"action":"accept","content":{"really":"maybe"}}})")));
    EXPECT_EQ(at(bad, "result", "isError"), true);
}

TEST_F(QuestionsTest, an_invalid_state_is_an_error) {
    auto const meta = "," + RawClient::meta(all_capabilities);
    auto const first = client.ask(call(1, "purge", R"({"path":"a"})", meta));
    auto const yes = R"({"sure":)" + std::string(accepted) + "}";
    // The state was issued for other arguments.
    EXPECT_EQ(
        at(client.ask(call(2, "purge", R"({"path":"b"})", retry(first, yes))), "error", "code"),
        -32602);
    // The state was modified.
    auto tampered = first;
    auto& state = tampered.as_object()["result"].as_object()["requestState"].as_string();
    state[10] = state[10] == 'A' ? 'B' : 'A';
    EXPECT_EQ(
        at(client.ask(call(3, "purge", R"({"path":"a"})", retry(tampered, yes))), "error", "code"),
        -32602);
    // The state is too old.
    time.advance(10min);
    EXPECT_EQ(
        at(client.ask(call(4, "purge", R"({"path":"a"})", retry(first, yes))), "error", "code"),
        -32602);
    EXPECT_EQ(logged.size(), 3U);
    EXPECT_EQ(runs, 1);
}

TEST_F(QuestionsTest, the_expiry_of_a_state_can_be_configured) {
    Server strict("s", "1",
                  ServerOptions().time(time).ping(0s, 1s).request_state_expiry(1min).on_log(
                      [](auto, auto) {}));
    strict.tool("ask", "", [](Context& ctx) -> Task<std::string> {
        auto const sure = co_await ctx.elicit<Confirm>("sure", "?");
        co_return sure ? "yes" : "no";
    });
    RawClient modern(context, strict);
    auto const asked = modern.ask(call(1, "ask", "{}", "," + RawClient::meta(all_capabilities)));
    auto const answered =
        call(2, "ask", "{}", retry(asked, R"({"sure":)" + std::string(accepted) + "}"));
    time.advance(59s);
    EXPECT_EQ(at(modern.ask(answered), "result", "content", 0, "text"), "yes");
    time.advance(1s);
    EXPECT_EQ(at(modern.ask(answered), "error", "code"), -32602);
    // In the legacy era, the question itself times out.
    RawClient legacy(context, strict);
    legacy.initialize("2025-11-25", all_capabilities);
    EXPECT_EQ(at(legacy.ask(call(1, "ask")), "method"), "elicitation/create");
    time.advance(1min - 1ns);
    legacy.poll();
    EXPECT_EQ(legacy.unread(), 0U);
    time.advance(1ns);
    legacy.poll();
    EXPECT_GT(legacy.unread(), 0U);
    for (auto* const each : {&modern, &legacy}) {
        each->close();
        each->poll();
    }
}

TEST_F(QuestionsTest, replicas_with_a_common_secret_accept_each_others_state) {
    Server first("s", "1", ServerOptions().time(time).request_state_secret("old"));
    Server second(
        "s", "1",
        ServerOptions().time(time).request_state_secret("old").request_state_secret("new"));
    for (auto* const one : {&first, &second}) {
        one->tool("ask", "", [](Context& ctx) -> Task<std::string> {
            auto const sure = co_await ctx.elicit<Confirm>("sure", "?");
            co_return sure ? "yes" : "no";
        });
    }
    RawClient a(context, first);
    RawClient b(context, second);
    auto const asked = a.ask(call(1, "ask", "{}", "," + RawClient::meta(all_capabilities)));
    auto const answer =
        b.ask(call(1, "ask", "{}", retry(asked, R"({"sure":)" + std::string(accepted) + "}")));
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "yes");
    a.close();
    b.close();
    b.poll();
}

TEST_F(QuestionsTest, a_client_gets_only_questions_that_it_can_answer) {
    client.initialize("2025-11-25", R"({"sampling":{}})");
    auto const answer = client.ask(call(1, "purge", R"({"path":"a"})"));
    EXPECT_TRUE(at(answer, "error", "code").is_int64() || at(answer, "result", "isError") == true);
    EXPECT_NE(json::serialize(answer).find("elicitation"), std::string::npos);

    RawClient other(context, server);
    auto const refused =
        other.ask(call(1, "purge", R"({"path":"a"})", "," + RawClient::meta("{}")));
    EXPECT_EQ(at(refused, "error", "code"), -32021);
    EXPECT_TRUE(at(refused, "error", "data", "requiredCapabilities", "elicitation").is_object());
    other.close();
    other.poll();
}

TEST_F(QuestionsTest, several_questions_are_sent_at_once) {
    auto const first = client.ask(call(1, "all", "{}", "," + RawClient::meta(all_capabilities)));
    EXPECT_EQ(at(first, "result", "inputRequests").as_object().size(), 3U);
    auto const model = R"({"role":"assistant","content":{"type":"text","text":"t"},"model":"m"})";
    auto const roots = R"({"roots":[{"uri":"file:///r"}]})";
    auto const answer =
        client.ask(call(2, "all", "{}",
                        retry(first, R"({"form":{"action":"cancel"},"model":)" +
                                         std::string(model) + R"(,"roots":)" + roots + "}")));
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "m file:///r no");

    RawClient live(context, server);
    live.initialize("2025-11-25", all_capabilities);
    live.send(call(1, "all"));
    std::vector<Json> asked;
    while (live.unread() != 0) asked.push_back(live.next_json());
    ASSERT_EQ(asked.size(), 3U);
    EXPECT_EQ(at(asked[2], "method"), "roots/list");
    live.send(result(at(asked[2], "id"), roots));
    live.send(result(at(asked[0], "id"), accepted));
    EXPECT_EQ(at(live.ask(result(at(asked[1], "id"), model)), "result", "content", 0, "text"),
              "m file:///r yes");
    live.close();
    live.poll();
}

TEST_F(QuestionsTest, a_root_that_cannot_be_read_does_not_hide_the_others) {
    server.tool("roots", "", [](Context& ctx) -> Task<std::string> {
        std::string uris;
        for (auto const& root : co_await ctx.list_roots()) uris += root.uri + " ";
        co_return uris;
    });
    auto const roots = R"({"roots":[{"uri":"file:///a"},{"name":"b"},{"uri":"file:///c"}]})";
    auto const expect_logged = [this](std::string_view where) {
        ASSERT_EQ(logged.size(), 1U);
        EXPECT_NE(logged.front().find(where), std::string::npos) << logged.front();
        logged.clear();
    };
    RawClient live(context, server);
    live.initialize("2025-11-25", all_capabilities);
    auto const asked = live.ask(call(1, "roots"));
    EXPECT_EQ(at(live.ask(result(at(asked, "id"), roots)), "result", "content", 0, "text"),
              "file:///a file:///c ");
    expect_logged("roots/list cannot be read and is left out: /roots/1: ");
    live.close();
    live.poll();

    auto const first = client.ask(call(1, "roots", "{}", "," + RawClient::meta(all_capabilities)));
    auto const requests = at(first, "result", "inputRequests");
    std::string const key(requests.as_object().begin()->key());
    auto const answers = R"({")" + key + R"(":)" + roots + "}";
    EXPECT_EQ(at(client.ask(call(2, "roots", "{}", retry(first, answers))), "result", "content", 0,
                 "text"),
              "file:///a file:///c ");
    expect_logged("/inputResponses/" + key + "/roots/1: ");
}

TEST_F(QuestionsTest, a_type_that_no_form_can_represent_is_refused_by_name) {
    client.initialize("2025-11-25", all_capabilities);
    auto const answer = client.ask(call(1, "nested"));
    EXPECT_EQ(at(answer, "result", "isError"), true);
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_NE(logged.front().find("inner"), std::string::npos) << logged.front();
}

TEST_F(QuestionsTest, a_function_on_the_thread_of_the_connections_cannot_wait) {
    auto const ask = [](Context& ctx) {
        ctx.wait(ctx.elicit<Confirm>("sure", "?"));
        return std::string("answered");
    };
    server.tool("inline", "", ask, ToolOptions().inline_());
    client.initialize("2025-11-25", all_capabilities);
    auto const answer = json::serialize(client.ask(call(1, "inline")));
    EXPECT_NE(answer.find("register it with blocking()"), std::string::npos) << answer;
}

TEST_F(QuestionsTest, a_handler_that_swallows_the_exception_of_its_question_still_sends_it) {
    auto const answer =
        client.ask(call(1, "stubborn", "{}", "," + RawClient::meta(all_capabilities)));
    EXPECT_EQ(at(answer, "result", "resultType"), "input_required");
}

TEST_F(QuestionsTest, cancelling_a_request_cancels_its_questions) {
    client.initialize("2025-11-25", all_capabilities);
    auto const asked = client.ask(call(1, "purge", R"({"path":"a"})"));
    client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    auto const taken_back = client.next_json();
    EXPECT_EQ(at(taken_back, "method"), "notifications/cancelled");
    EXPECT_EQ(at(taken_back, "params", "requestId"), at(asked, "id"));
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(QuestionsTest, EL17_only_the_client_with_the_url_elicitation_is_notified_of_its_completion) {
    server.tool("pay", "", [](Context& ctx) -> Task<std::string> {
        auto const visit =
            co_await ctx.elicit_url("pay", "Please pay", "https://pay.example/1", "visit-1");
        co_return visit.action == ElicitAction::accept ? "agreed" : "refused";
    });
    client.initialize("2025-11-25", all_capabilities);
    RawClient other(context, server);
    other.initialize("2025-11-25", all_capabilities);
    server.elicitation_complete("visit-1");
    client.poll();
    EXPECT_EQ(client.unread(), 0U);

    auto const asked = client.ask(call(1, "pay"));
    EXPECT_EQ(at(asked, "params", "elicitationId"), "visit-1");
    EXPECT_EQ(at(client.ask(result(at(asked, "id"), R"({"action":"accept"})")), "result", "content",
                 0, "text"),
              "agreed");
    server.elicitation_complete("visit-1");
    client.poll();
    EXPECT_EQ(client.next(), R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
                             R"("params":{"elicitationId":"visit-1"}})");
    // The notification is sent only once.
    server.elicitation_complete("visit-1");
    other.poll();
    EXPECT_EQ(client.unread(), 0U);
    EXPECT_EQ(other.unread(), 0U);
    other.close();
    other.poll();

    RawClient modern(context, server);
    auto const input = modern.ask(call(1, "pay", "{}", "," + RawClient::meta(all_capabilities)));
    EXPECT_TRUE(at(input, "result", "inputRequests", "pay").is_object());
    server.elicitation_complete("visit-1");
    modern.poll();
    EXPECT_EQ(modern.unread(), 0U);
    modern.close();
    modern.poll();
}

TEST_F(QuestionsTest, an_error_of_the_client_reaches_the_handler) {
    client.initialize("2025-11-25", all_capabilities);
    auto const asked = client.ask(call(1, "purge", R"({"path":"a"})"));
    auto const answer = client.ask(R"({"jsonrpc":"2.0","id":)" + json::serialize(at(asked, "id")) +
                                   R"(,"error":{"code":-1,"message":"no way"}})");
    EXPECT_EQ(at(answer, "id"), 1);
    EXPECT_EQ(at(answer, "result", "isError"), true);
}

}  // namespace
}  // namespace lanyard::server
