// A client that has closed its output still receives its answers (`cat requests | server`).
#include <future>

#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

struct Agreed {
    bool yes = false;
};
LANYARD_STRUCT(Agreed, (yes, "Whether"))

class InputEndTest : public ::testing::TestWithParam<bool> {
protected:
    InputEndTest() {
        server.tool("sleep", "", [this]() -> Task<std::string> {
            co_await sleep_for(time, 1s);
            co_return "slept";
        });
        server.tool("stay", "", [this]() -> Task<> { co_await sleep_for(time, 1h); });
        server.tool("much", "", [] { return std::string(100'000, 'x'); }, ToolOptions().inline_());
        server.tool("ask", "", ask);
        server.tool("ask_later", "", [this](Context& ctx) -> Task<std::string> {
            co_await sleep_for(time, 1s);
            co_return co_await ask(ctx);
        });
        server.tool(
            "work", "",
            [this] {
                go.get_future().wait();
                return "worked";
            },
            ToolOptions().blocking());
    }
    ~InputEndTest() override {
        client.close();
        client.poll();
    }

    bool modern() const { return GetParam(); }
    static Task<std::string> ask(Context& ctx) {
        auto const agreed = co_await ctx.elicit<Agreed>("agreed", "Do you agree?");
        co_return agreed ? "yes" : "no";
    }
    void open() {
        if (!modern()) client.initialize("2025-11-25", R"({"elicitation":{}})");
    }
    // Sends the handshake without reading the answer.
    void open_unread() {
        if (modern()) return;
        client.write(
            R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
            R"("2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}})");
        client.write(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }
    std::string request(std::string_view method, std::string_view params, int id = 1) const {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" +
               std::string(method) + R"(","params":{)" + std::string(params) +
               (modern() ? "," + RawClient::meta() : "") + "}}";
    }
    std::string call(std::string_view tool, int id = 1) const {
        return request("tools/call", R"("name":")" + std::string(tool) + '"', id);
    }
    std::string text_of(Json const& answer) const {
        auto const text = at(answer, "result", "content", 0, "text");
        return text.is_string() ? std::string(text.as_string()) : json::serialize(answer);
    }

    testing::FakeTime time;
    Server server{"s", "1", ServerOptions().time(time).on_log([](auto, auto) {})};
    boost::asio::io_context context;
    std::promise<void> go;
    RawClient client{context, server, 1 << 16};
};

INSTANTIATE_TEST_SUITE_P(Eras, InputEndTest, ::testing::Bool(),
                         [](auto const& era) { return era.param ? "modern" : "legacy"; });

// Tests for one era only.
class LegacyInputEndTest : public InputEndTest {};
INSTANTIATE_TEST_SUITE_P(Era, LegacyInputEndTest, ::testing::Values(false));
class ModernInputEndTest : public InputEndTest {};
INSTANTIATE_TEST_SUITE_P(Era, ModernInputEndTest, ::testing::Values(true));

TEST_P(InputEndTest, pending_calls_are_answered_before_the_connection_ends) {
    open();
    client.write(call("sleep"));
    client.end_input();
    client.poll();
    EXPECT_FALSE(client.served());
    time.advance(1s);
    client.poll();
    EXPECT_EQ(text_of(client.next_json()), "slept");
    EXPECT_TRUE(client.served());
    EXPECT_TRUE(server.sessions().empty());
}

TEST_P(InputEndTest, calls_on_other_threads_are_answered) {
    open();
    client.write(call("work"));
    client.end_input();
    client.poll();
    EXPECT_FALSE(client.served());
    go.set_value();
    EXPECT_EQ(text_of(client.wait_json()), "worked");
    client.poll();
    EXPECT_TRUE(client.served());
}

TEST_P(InputEndTest, a_connection_without_calls_ends_at_once) {
    open();
    client.end_input();
    client.poll();
    EXPECT_TRUE(client.served());
}

TEST_P(InputEndTest, calls_that_take_too_long_are_cancelled) {
    open();
    client.write(call("stay"));
    client.end_input();
    client.poll();
    time.advance(4s);
    client.poll();
    EXPECT_FALSE(client.served());
    time.advance(1s);
    client.poll();
    EXPECT_TRUE(client.served());
    EXPECT_EQ(client.unread(), 0U);
}

TEST_P(InputEndTest, a_client_that_closes_both_directions_is_given_up_at_once) {
    open();
    client.write(call("sleep"));
    client.end_input();
    client.poll();
    client.close();
    client.poll();
    EXPECT_TRUE(client.served());
}

TEST_P(InputEndTest, a_server_that_is_stopped_waits_no_longer) {
    open();
    client.write(call("sleep"));
    client.end_input();
    client.poll();
    server.stop();
    client.poll();
    EXPECT_TRUE(client.served());
    EXPECT_EQ(client.unread(), 0U);
}

TEST_P(LegacyInputEndTest, pending_questions_fail) {
    open();
    client.send(call("ask"));
    EXPECT_EQ(at(client.next_json(), "method"), "elicitation/create");
    client.end_input();
    client.poll();
    auto const answer = client.next_json();
    EXPECT_EQ(at(answer, "id"), 1);
    EXPECT_TRUE(client.served());
    EXPECT_EQ(client.unread(), 0U);
}

TEST_P(LegacyInputEndTest, later_questions_are_not_sent) {
    open();
    client.write(call("ask_later"));
    client.end_input();
    client.poll();
    time.advance(1s);
    client.poll();
    EXPECT_EQ(at(client.next_json(), "id"), 1);
    EXPECT_TRUE(client.served());
}

TEST_P(ModernInputEndTest, streams_end_with_their_result) {
    open();
    client.send(request("subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
    EXPECT_EQ(at(client.next_json(), "method"), "notifications/subscriptions/acknowledged");
    client.end_input();
    client.poll();
    EXPECT_TRUE(at(client.next_json(), "result").is_object());
    EXPECT_TRUE(client.served());
}

TEST_P(InputEndTest, a_client_that_reads_slowly_gets_everything) {
    open_unread();
    for (int id = 1; id <= 5; ++id) client.write(call("much", id));
    client.end_input();
    // The client does not read for longer than a call may take.
    context.poll();
    time.advance(10s);
    context.restart();
    context.poll();
    EXPECT_FALSE(client.served());
    client.poll();
    EXPECT_EQ(client.unread(), modern() ? 5U : 6U);
    EXPECT_TRUE(client.served());
}

TEST_P(InputEndTest, a_client_that_never_reads_is_given_up) {
    open_unread();
    for (int id = 1; id <= 5; ++id) client.write(call("much", id));
    client.end_input();
    context.poll();
    for (int i = 0; i < 31; ++i) {
        time.advance(1s);
        context.restart();
        context.poll();
    }
    EXPECT_TRUE(client.served());
}

}  // namespace
}  // namespace lanyard::server
