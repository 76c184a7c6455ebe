// The handshake: repeated on one connection, by a client that reuses it or by several clients that
// share it; and an incomplete handshake.
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, really)

class HandshakeTest : public ::testing::Test {
protected:
    HandshakeTest() : HandshakeTest(true) {}
    explicit HandshakeTest(bool repeated)
        : server("s", "1",
                 ServerOptions().time(time).repeated_initialize(repeated).on_log(
                     [this](auto, auto line) { logged.emplace_back(line); })) {
        server.tool("echo", "", [] { return "echo"; }, ToolOptions().inline_());
        server.tool("who", "", [](Context& ctx) { return ctx.client_info().name; });
        server.tool("sleep", "", [this](Context& ctx) -> Task<std::string> {
            co_await sleep_for(time, 1s);
            co_return ctx.client_info().name;
        });
        server.tool("ask", "", [](Context& ctx) -> Task<std::string> {
            auto const sure = co_await ctx.elicit<Confirm>("sure", "Sure?");
            co_return sure && sure->really ? "yes" : "no";
        });
        server.resource("test://watched", "watched", "text");
    }
    ~HandshakeTest() override {
        client.close();
        client.poll();
    }

    static std::string initialize(std::string_view id, std::string_view name,
                                  std::string_view version = "2025-11-25",
                                  std::string_view capabilities = "{}") {
        return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
               R"(,"method":"initialize","params":{"protocolVersion":")" + std::string(version) +
               R"(","capabilities":)" + std::string(capabilities) + R"(,"clientInfo":{"name":")" +
               std::string(name) + R"(","version":"1"}}})";
    }
    static std::string request(std::string_view id, std::string_view method,
                               std::string_view params = "{}") {
        return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" +
               std::string(method) + R"(","params":)" + std::string(params) + "}";
    }
    static std::string call(std::string_view id, std::string_view tool) {
        return request(id, "tools/call", R"({"name":")" + std::string(tool) + "\"}");
    }
    static constexpr auto confirm = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

    testing::FakeTime time;
    std::vector<std::string> logged;
    Server server;
    boost::asio::io_context context;
    RawClient client{context, server};
};

TEST_F(HandshakeTest, a_second_initialize_is_answered_like_the_first) {
    client.initialize();
    auto const again = client.ask(initialize("1", "second", "2024-11-05"));
    EXPECT_EQ(at(again, "result", "protocolVersion"), "2024-11-05");
    EXPECT_EQ(at(again, "result", "serverInfo", "name"), "s");
    EXPECT_TRUE(at(again, "result", "capabilities", "tools").is_object());
    auto info = server.sessions().front();
    EXPECT_EQ(info.version, "2024-11-05");
    EXPECT_EQ(info.client.name, "second");
    EXPECT_EQ(info.handshakes, 2U);
    EXPECT_EQ(info.phases.size(), 2U) << "the session stays ready";
    // Both before and after the notification.
    EXPECT_EQ(at(client.ask(call("2", "who")), "result", "content", 0, "text"), "second");
    client.send(confirm);
    EXPECT_EQ(at(client.ask(call("3", "who")), "result", "content", 0, "text"), "second");
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(HandshakeTest, a_client_that_gets_an_older_version_than_it_asked_for_is_logged) {
    client.ask(initialize("0", "c", "2025-06-18"));
    client.ask(initialize("1", "c", "2025-01-01"));
    EXPECT_TRUE(logged.empty()) << "no version was older than the requested one";
    client.ask(initialize("2", "c", "2099-01-01"));
    EXPECT_EQ(logged, (std::vector<std::string>{"the client asked for protocol version 2099-01-01 "
                                                "and is offered 2025-11-25"}));
}

TEST_F(HandshakeTest, initialize_may_be_repeated_before_it_is_confirmed) {
    client.ask(initialize("0", "first"));
    EXPECT_TRUE(at(client.ask(initialize("1", "second")), "result").is_object());
    client.send(confirm);
    EXPECT_EQ(at(client.ask(call("2", "who")), "result", "content", 0, "text"), "second");
}

TEST_F(HandshakeTest, a_second_initialize_that_is_malformed_changes_nothing) {
    client.initialize();
    EXPECT_EQ(
        at(client.ask(request("1", "initialize", R"({"protocolVersion":5})")), "error", "code"),
        -32602);
    EXPECT_EQ(server.sessions().front().client.name, "raw");
    EXPECT_EQ(server.sessions().front().handshakes, 1U);
    EXPECT_EQ(at(client.ask(call("2", "who")), "result", "content", 0, "text"), "raw");
}

TEST_F(HandshakeTest, pending_calls_continue_for_their_client) {
    client.initialize();
    client.send(call("1", "sleep"));
    EXPECT_TRUE(at(client.ask(initialize("2", "second")), "result").is_object());
    time.advance(1s);
    auto const slept = client.wait_json();
    EXPECT_EQ(at(slept, "id"), 1);
    EXPECT_EQ(at(slept, "result", "content", 0, "text"), "raw");
}

TEST_F(HandshakeTest, questions_to_the_former_client_are_cancelled) {
    client.initialize("2025-11-25", R"({"elicitation":{}})");
    auto const asked = client.ask(call("1", "ask"));
    EXPECT_EQ(at(asked, "method"), "elicitation/create");
    client.send(initialize("2", "second"));
    auto const cancelled = client.next_json();
    EXPECT_EQ(at(cancelled, "method"), "notifications/cancelled");
    EXPECT_EQ(at(cancelled, "params", "requestId"), at(asked, "id"));
    EXPECT_EQ(at(client.next_json(), "id"), 2);
    auto const failed = client.next_json();
    EXPECT_EQ(at(failed, "id"), 1);
    EXPECT_EQ(at(failed, "result", "isError"), true) << json::serialize(failed);
    // The new client has not declared the capability.
    EXPECT_EQ(at(client.ask(call("3", "echo")), "id"), 3);
}

TEST_F(HandshakeTest, subscriptions_and_log_level_of_the_former_client_are_dropped) {
    client.initialize();
    client.ask(request("1", "resources/subscribe", R"({"uri":"test://watched"})"));
    client.ask(request("2", "logging/setLevel", R"({"level":"debug"})"));
    EXPECT_EQ(server.sessions().front().subscriptions, 1U);
    client.ask(initialize("3", "second"));
    client.send(confirm);
    EXPECT_EQ(server.sessions().front().subscriptions, 0U);
    server.resource_updated("test://watched");
    server.log(LoggingLevel::debug, "quiet");
    client.poll();
    EXPECT_EQ(client.next(), "");
    server.log(LoggingLevel::info, "loud");
    client.poll();
    EXPECT_EQ(at(client.next_json(), "params", "data"), "loud");
}

TEST_F(HandshakeTest, the_ping_of_the_former_client_is_dropped) {
    client.initialize();
    time.advance(30s);
    client.poll();
    EXPECT_EQ(at(client.next_json(), "method"), "ping");
    client.send(initialize("1", "second"));
    client.send(confirm);
    time.advance(10s);
    client.poll();
    EXPECT_FALSE(client.closed());
    EXPECT_EQ(server.limit_counts().unanswered, 0U);
}

TEST_F(HandshakeTest, discovery_in_a_session_leads_to_initialize) {
    client.initialize();
    auto const probe = request("1", "server/discover", "{" + RawClient::meta() + "}");
    EXPECT_EQ(at(client.ask(probe), "error", "code"), -32601);
    EXPECT_EQ(server.sessions().front().version, "2025-11-25");
    auto const answer = client.ask(call("2", "who"));
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "raw");
    EXPECT_TRUE(at(answer, "result", "resultType").is_null());
}

TEST_F(HandshakeTest, many_handshakes_leave_nothing_behind) {
    client.initialize();
    for (int i = 1; i <= 1'000; ++i) {
        client.write(initialize(std::to_string(i), "c" + std::to_string(i)));
        client.poll();
        client.next();
    }
    auto const info = server.sessions().front();
    EXPECT_EQ(info.handshakes, 1'001U);
    EXPECT_EQ(info.client.name, "c1000");
    EXPECT_EQ(info.phases.size(), 2U);
    EXPECT_EQ(info.in_flight, 0U);
}

TEST_F(HandshakeTest, a_client_may_omit_the_confirmation_of_the_handshake) {
    client.ask(initialize("0", "first"));
    EXPECT_EQ(at(client.ask(request("1", "ping")), "result"), JsonObject());
    EXPECT_EQ(server.sessions().front().phases.back().name, "initialized");
    EXPECT_TRUE(at(client.ask(request("2", "tools/list")), "result", "tools").is_array());
    EXPECT_EQ(server.sessions().front().phases.back().name, "ready");
    // The session is kept and receives pings like any other.
    time.advance(31s);
    client.poll();
    auto const ping = client.next_json();
    EXPECT_EQ(at(ping, "method"), "ping");
    client.send(R"({"jsonrpc":"2.0","id":)" + json::serialize(at(ping, "id")) + R"(,"result":{}})");
    time.advance(29s);
    client.poll();
    EXPECT_FALSE(client.closed());
    EXPECT_EQ(server.limit_counts().unopened, 0U);
}

class OneHandshakeTest : public HandshakeTest {
protected:
    OneHandshakeTest() : HandshakeTest(false) {}
};

TEST_F(OneHandshakeTest, a_second_initialize_is_refused_if_the_option_is_set) {
    client.initialize();
    auto const refused = client.ask(initialize("1", "second", "2024-11-05"));
    EXPECT_EQ(at(refused, "error", "code"), -32600);
    EXPECT_EQ(at(refused, "error", "data", "reason"), "already_initialized");
    EXPECT_EQ(server.sessions().front().version, "2025-11-25");
    EXPECT_EQ(at(client.ask(call("2", "who")), "result", "content", 0, "text"), "raw");
}

}  // namespace
}  // namespace lanyard::server
