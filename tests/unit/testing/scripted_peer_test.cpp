#include "lanyard/testing/scripted_peer.hpp"

#include <gtest/gtest.h>

#include "lanyard/transport/memory.hpp"
#include "support/run_task.hpp"

namespace lanyard::testing {
namespace {

using namespace std::chrono_literals;

// Two scripted peers that are connected to each other.
class ScriptedPeerTest : public ::testing::Test {
protected:
    ScriptedPeerTest()
        : pair(memory_pair(context.get_executor(), context.get_executor())),
          left(std::move(pair.first), 5s),
          right(std::move(pair.second), 5s) {}

    void run(Task<> task) { test::run_task(context, std::move(task)); }

    // Returns the message of the ScriptError that the task throws.
    template <class T>
    std::string explanation(Task<T> task) {
        std::string text = "(no error)";
        auto const attempt = [](Task<T> steps, std::string& into) -> Task<> {
            try {
                co_await std::move(steps);
            } catch (ScriptError const& error) {
                into = error.what();
            }
        };
        run(attempt(std::move(task), text));
        return text;
    }

    boost::asio::io_context context;
    std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> pair;
    ScriptedPeer left;
    ScriptedPeer right;
};

TEST_F(ScriptedPeerTest, plays_both_sides_of_a_conversation) {
    auto const talk = [this]() -> Task<> {
        rpc::Request request;
        request.id = "a";
        request.method = "tools/list";
        co_await left.send_message(request);
        auto const came = co_await right.expect_request("tools/list");
        EXPECT_EQ(came, request);
        co_await right.send(R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
        co_await right.send(R"({"jsonrpc":"2.0","id":"a","result":{"tools":[],"more":{"x":1}}})");
        auto const note = co_await left.expect_notification("notifications/message");
        EXPECT_EQ(note.params.text(), "{}");
        co_await left.expect_like(R"({"id":"a","result":{"more":{}}})");
        co_await left.send(R"({"b":2,"a":[1,{"c":null}]})");
        co_await right.expect(R"( {"a": [1, {"c": null}], "b": 2} )");
        co_await left.send("[1]");
        auto const array = co_await right.receive();
        EXPECT_TRUE(array.is_array());
        left.close();
        co_await left.closed();
        co_await right.expect_end();
    };
    run(talk());
}

TEST_F(ScriptedPeerTest, can_end_one_direction) {
    auto const talk = [this]() -> Task<> {
        co_await left.send("1");
        left.half_close();
        co_await right.expect("1");
        co_await right.expect_end();
        co_await right.send("2");
        co_await left.expect("2");
        right.close();
        co_await left.expect_end();
    };
    run(talk());
    EXPECT_NE(explanation(left.send("3")).find("expected to send 3\nbut came a failure"),
              std::string::npos);
}

TEST_F(ScriptedPeerTest, errors_show_the_unexpected_message) {
    auto const send = [this](std::string text) { run(left.send(std::move(text))); };
    send(R"({"id":1,"result":{"a/b":[1,2]}})");
    EXPECT_EQ(explanation(right.expect(R"({"id":1,"result":{"a/b":[1,3]}})")),
              "expected {\"id\":1,\"result\":{\"a/b\":[1,3]}}\n"
              "but came {\"id\":1,\"result\":{\"a/b\":[1,2]}}\n"
              "/result/a~1b/1: expected 3, came 2\n"
              "the last messages:\n"
              "  received {\"id\":1,\"result\":{\"a/b\":[1,2]}}");
    send("{}");
    EXPECT_NE(
        explanation(right.expect_like(R"({"~":1})")).find("/~0: expected 1, but it is absent"),
        std::string::npos);
    send(R"({"extra":1})");
    EXPECT_NE(explanation(right.expect("{}")).find("/extra: not expected, came 1"),
              std::string::npos);
    send("true");
    EXPECT_NE(explanation(right.expect("[]")).find("the message: expected [], came true"),
              std::string::npos);
    send("not json");
    EXPECT_NE(explanation(right.receive()).find("but came no JSON ("), std::string::npos);
    send("{}");
    EXPECT_NE(explanation(right.expect_request("ping")).find("but came no message ("),
              std::string::npos);
    send(R"({"jsonrpc":"2.0","method":"ping"})");
    EXPECT_NE(explanation(right.expect_request("ping"))
                  .find("expected a request for ping\nbut came {\"jsonrpc\":\"2.0\",\"method\""),
              std::string::npos);
    send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    EXPECT_NE(explanation(right.expect_notification("ping")).find("the notification ping\nbut"),
              std::string::npos);
    send("7");
    EXPECT_NE(explanation(right.expect_end()).find("the end of the connection\nbut came 7"),
              std::string::npos);
    EXPECT_NE(explanation(right.expect("{")).find("the script expects something that is not JSON"),
              std::string::npos);
}

TEST_F(ScriptedPeerTest, accepts_a_matcher) {
    auto const talk = [this]() -> Task<> {
        co_await left.send("1");
        co_await left.send("2");
        Matcher const is_one = [](Json const& message) -> std::optional<std::string> {
            if (message == Json(1)) return std::nullopt;
            return "it is not one";
        };
        co_await right.expect_that(is_one);
        std::string text;
        try {
            co_await right.expect_that(is_one);
        } catch (ScriptError const& error) {
            text = error.what();
        }
        EXPECT_NE(text.find("but came 2\nit is not one\nthe last messages:\n  received 1"),
                  std::string::npos)
            << text;
    };
    run(talk());
}

TEST_F(ScriptedPeerTest, waiting_has_a_timeout_and_the_end_is_reported) {
    auto pair = memory_pair(context.get_executor(), context.get_executor());
    ScriptedPeer impatient(std::move(pair.first), 1ms);
    auto const text = explanation(impatient.expect("1"));
    EXPECT_TRUE(text.starts_with("expected 1\nbut came nothing within 0.001")) << text;
    left.close();
    EXPECT_EQ(explanation(right.expect("1")), "expected 1\nbut came the end of the connection");
}

TEST_F(ScriptedPeerTest, truncates_long_messages) {
    run(left.send("\"" + std::string(5000, 'x') + "\""));
    auto const text = explanation(right.expect("1"));
    EXPECT_NE(text.find("... (5002 bytes)"), std::string::npos);
}

}  // namespace
}  // namespace lanyard::testing
