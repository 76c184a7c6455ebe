// Progress of the client while it answers a question, and the timeout of a question.
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

class QuestionProgressTest : public ::testing::Test {
protected:
    QuestionProgressTest() {
        server.tool("ask", "", [this](Context& context) -> Task<std::string> {
            CreateMessageParams params;
            params.max_tokens = 10;
            auto question = ask_model("model", params);
            question.timeout(10s).on_progress([this](ProgressParams const& progress) {
                seen.push_back(progress);
                if (fails) throw std::runtime_error("no display");
            });
            auto const answer = co_await context.ask(question);
            co_return answer.model;
        });
        server.tool("plain", "", [](Context& context) -> Task<std::string> {
            CreateMessageParams params;
            params.max_tokens = 10;
            auto const answer = co_await context.sample("model", params);
            co_return answer.model;
        });
        server.tool(
            "wait", "",
            [this](Context& context) {
                auto question = ask_roots();
                question.on_progress(
                    [this](ProgressParams const& progress) { seen.push_back(progress); });
                return context.wait(context.ask(question)).front().uri;
            },
            ToolOptions().blocking());
    }
    ~QuestionProgressTest() override {
        client.close();
        client.poll();
    }
    void open() { client.initialize("2025-11-25", R"({"sampling":{},"roots":{}})"); }
    static std::string call(std::string_view tool) {
        return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
               std::string(tool) + "\"}}";
    }
    void report(Json const& asked, std::string_view more) {
        client.send(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{)"
                    R"("progressToken":)" +
                    json::serialize(at(asked, "params", "_meta", "progressToken")) + "," +
                    std::string(more) + "}}");
    }
    static std::string result(Json const& asked, std::string_view text) {
        return R"({"jsonrpc":"2.0","id":)" + json::serialize(at(asked, "id")) + R"(,"result":)" +
               std::string(text) + "}";
    }
    static constexpr auto message =
        R"({"model":"m","role":"assistant","content":{"type":"text","text":"hi"}})";

    testing::FakeTime time;
    std::vector<std::string> logged;
    std::vector<ProgressParams> seen;
    bool fails = false;
    Server server{"s", "1",
                  ServerOptions().time(time).request_state_expiry(28s).on_log(
                      [this](auto, auto text) { logged.emplace_back(text); })};
    boost::asio::io_context context;
    RawClient client{context, server};
};

TEST_F(QuestionProgressTest, reaches_the_handler_that_asks) {
    open();
    auto const asked = client.ask(call("ask"));
    EXPECT_TRUE(at(asked, "params", "_meta", "progressToken").is_string());
    report(asked, R"("progress":1,"total":4,"message":"thinking")");
    report(asked, R"("progress":2)");
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].progress, 1);
    EXPECT_EQ(seen[0].total, 4);
    EXPECT_EQ(seen[0].message, "thinking");
    EXPECT_EQ(
        seen[0].progress_token,
        ProgressToken(std::string(at(asked, "params", "_meta", "progressToken").as_string())));
    EXPECT_EQ(seen[1].total, std::nullopt);
    client.send(result(asked, message));
    EXPECT_EQ(at(client.next_json(), "result", "content", 0, "text"), "m");
    report(asked, R"("progress":3)");
    EXPECT_EQ(seen.size(), 2U) << "the question has ended";
}

TEST_F(QuestionProgressTest, is_not_requested_without_a_handler) {
    open();
    auto const asked = client.ask(call("plain"));
    EXPECT_TRUE(at(asked, "params", "_meta").is_null());
}

TEST_F(QuestionProgressTest, each_question_has_its_own_token) {
    open();
    auto const first = client.ask(call("ask"));
    client.send(result(first, message));
    client.next();
    auto const second = client.ask(call("ask"));
    EXPECT_NE(at(first, "params", "_meta", "progressToken"),
              at(second, "params", "_meta", "progressToken"));
}

TEST_F(QuestionProgressTest, restarts_the_timeout_up_to_the_maximum_of_the_server) {
    open();
    auto const asked = client.ask(call("ask"));
    for (int i = 1; i <= 3; ++i) {
        time.advance(9s);
        client.poll();
        report(asked, R"("progress":)" + std::to_string(i));
    }
    EXPECT_EQ(client.unread(), 0U) << "after 27 s";
    time.advance(1s);
    client.poll();
    auto const cancelled = client.next_json();
    EXPECT_EQ(at(cancelled, "method"), "notifications/cancelled");
    auto const failed = client.next_json();
    EXPECT_EQ(at(failed, "result", "isError"), true) << json::serialize(failed);
}

TEST_F(QuestionProgressTest, a_question_has_its_own_timeout) {
    open();
    client.ask(call("ask"));
    time.advance(10s - 1ns);
    client.poll();
    EXPECT_EQ(client.unread(), 0U);
    time.advance(1ns);
    client.poll();
    EXPECT_EQ(at(client.next_json(), "method"), "notifications/cancelled");
    EXPECT_EQ(at(client.next_json(), "result", "isError"), true);
}

TEST_F(QuestionProgressTest, a_handler_that_fails_is_logged_and_the_question_continues) {
    open();
    fails = true;
    auto const asked = client.ask(call("ask"));
    report(asked, R"("progress":1)");
    EXPECT_EQ(logged, std::vector<std::string>{"a progress handler failed: no display"});
    client.send(result(asked, message));
    EXPECT_EQ(at(client.next_json(), "result", "content", 0, "text"), "m");
}

TEST_F(QuestionProgressTest, reaches_a_plain_function_while_it_waits) {
    open();
    auto const asked = client.ask(call("wait"));
    EXPECT_EQ(at(asked, "method"), "roots/list");
    report(asked, R"("progress":1)");
    client.send(result(asked, R"({"roots":[{"uri":"file:///a"}]})"));
    EXPECT_EQ(at(client.wait_json(), "result", "content", 0, "text"), "file:///a");
    EXPECT_EQ(seen.size(), 1U);
}

}  // namespace
}  // namespace lanyard::server
