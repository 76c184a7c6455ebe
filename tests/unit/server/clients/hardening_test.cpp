// Robustness of a server: invalid messages, misbehaving clients, stops and disconnects at any time.
#include <condition_variable>
#include <thread>

#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

constexpr auto ping = R"({"jsonrpc":"2.0","id":"p","method":"ping"})";
constexpr auto pong = R"({"jsonrpc":"2.0","id":"p","result":{}})";

std::string call(std::string_view id, std::string_view tool, std::string_view more = "") {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
           R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + '"' +
           std::string(more) + "}}";
}

class HardeningTest : public ::testing::Test {
protected:
    HardeningTest() {
        server.tool("echo", "", [] { return "echo"; }, ToolOptions().inline_());
        server.tool("sleep", "", [this]() -> Task<std::string> {
            co_await sleep_for(time, 1s);
            co_return "slept";
        });
    }
    ~HardeningTest() override {
        client.close();
        client.poll();
    }
    void expect_alive() { EXPECT_EQ(client.answer(ping), json::parse(pong).value()); }

    testing::FakeTime time;
    ServerOptions options =
        ServerOptions().time(time).max_unsent_bytes(2 << 20).on_log([](auto, auto) {});
    Server server{"s", "1", options};
    boost::asio::io_context context;
    RawClient client{context, server, 1 << 16};
};

TEST_F(HardeningTest, broken_messages_are_answered_and_do_no_harm) {
    client.initialize();
    std::string const deep(1'000'000, '[');
    for (std::string const& text :
         {std::string("garbage"), std::string("{}"), std::string("[]"), std::string("null"),
          std::string(R"({"jsonrpc":"2.0","id":1,"method":5})"),
          std::string(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})"),
          std::string("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\0\"}", 38), deep}) {
        auto const answer = client.ask(text);
        EXPECT_TRUE(at(answer, "error", "code").is_int64()) << text.substr(0, 80);
    }
    expect_alive();
    EXPECT_GE(server.sessions().front().violations, 8U);
}

TEST_F(HardeningTest, bad_parameters_are_answered) {
    client.initialize();
    for (auto const* params :
         {"", R"("name":5)", R"("name":"echo","arguments":[])", R"("name":"echo","arguments":5)"}) {
        auto const answer =
            client.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" +
                       std::string(params) + "}}");
        EXPECT_EQ(at(answer, "error", "code"), -32602) << params;
    }
    EXPECT_EQ(
        at(client.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})"),
           "error", "code"),
        -32602);
    EXPECT_EQ(at(client.ask(R"({"jsonrpc":"2.0","id":1,"method":"no/such"})"), "error", "code"),
              -32601);
    EXPECT_EQ(
        at(client.ask(R"({"jsonrpc":"2.0","id":1,"method":"prompts/list"})"), "error", "code"),
        -32601);
    expect_alive();
}

TEST_F(HardeningTest, requests_before_the_handshake_are_refused) {
    auto const refused = client.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    EXPECT_EQ(at(refused, "error", "code"), -32005);
    expect_alive();
    EXPECT_TRUE(at(client.initialize(), "result").is_object());
}

TEST_F(HardeningTest, a_handshake_after_requests_with_metadata_is_refused) {
    client.ask(call("1", "echo", "," + RawClient::meta()));
    auto const refused = client.initialize();
    EXPECT_EQ(at(refused, "error", "code"), -32022);
    EXPECT_TRUE(at(refused, "error", "data", "supported").is_array());
}

TEST_F(HardeningTest, a_duplicate_id_is_refused_and_the_first_request_continues) {
    client.initialize();
    client.send(call("1", "sleep"));
    EXPECT_EQ(at(client.ask(call("1", "echo")), "error", "code"), -32600);
    // An id of another type is another id.
    EXPECT_EQ(at(client.ask(call("\"1\"", "echo")), "id"), "1");
    time.advance(1s);
    EXPECT_EQ(at(client.wait_json(), "result", "content", 0, "text"), "slept");
}

TEST_F(HardeningTest, metadata_is_checked_in_the_order_of_the_specification) {
    auto const with = [](std::string_view meta) {
        return R"({"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{)" +
               std::string(meta) + "}}}";
    };
    auto const version = R"("io.modelcontextprotocol/protocolVersion":"2099-01-01")";
    EXPECT_EQ(at(client.ask(with(version)), "error", "code"), -32602);
    auto const unsupported = client.ask(
        with(std::string(version) + R"(,"io.modelcontextprotocol/clientCapabilities":{})"));
    EXPECT_EQ(at(unsupported, "error", "code"), -32022);
    EXPECT_EQ(at(unsupported, "error", "data", "requested"), "2099-01-01");
    EXPECT_EQ(at(client.ask(R"({"jsonrpc":"2.0","id":1,"method":"no/such","params":{)" +
                            RawClient::meta() + "}}"),
                 "error", "code"),
              -32601);
    EXPECT_EQ(at(client.ask(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{)" +
                            RawClient::meta() + "}}"),
                 "error", "code"),
              -32601);
    EXPECT_EQ(at(client.ask(call("1", "echo")), "error", "code"), -32602);
}

TEST_F(HardeningTest, a_client_that_does_not_open_the_session_is_closed) {
    client.poll();
    time.advance(60s - 1ns);
    client.poll();
    EXPECT_FALSE(client.served());
    time.advance(1ns);
    client.poll();
    EXPECT_TRUE(client.served());
    EXPECT_TRUE(client.closed());
    EXPECT_EQ(server.limit_counts().unopened, 1U);
}

TEST_F(HardeningTest, a_client_that_only_discovers_is_not_closed) {
    client.ask(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{)" +
               RawClient::meta() + "}}");
    time.advance(10min);
    client.poll();
    EXPECT_FALSE(client.closed());
}

TEST_F(HardeningTest, an_idle_client_is_pinged_and_closed_without_an_answer) {
    client.initialize();
    time.advance(29s);
    client.poll();
    EXPECT_EQ(client.unread(), 0U);
    time.advance(1s);
    client.poll();
    auto const asked = client.next_json();
    EXPECT_EQ(at(asked, "method"), "ping");
    client.send(R"({"jsonrpc":"2.0","id":)" + json::serialize(at(asked, "id")) +
                R"(,"result":{}})");
    time.advance(29s);
    expect_alive();
    // A client that has sent something recently gets no ping.
    time.advance(29s);
    client.poll();
    EXPECT_EQ(client.unread(), 0U);
    time.advance(1s);
    client.poll();
    EXPECT_EQ(at(client.next_json(), "method"), "ping");
    time.advance(10s - 1ns);
    client.poll();
    EXPECT_FALSE(client.served());
    time.advance(1ns);
    client.poll();
    EXPECT_TRUE(client.served());
    EXPECT_EQ(server.limit_counts().unanswered, 1U);
}

TEST_F(HardeningTest, a_client_has_as_many_subscriptions_as_the_limit) {
    auto few = options;
    few.max_subscriptions(2);
    Server limited("s", "1", few);
    for (auto const* const uri : {"r://1", "r://2", "r://3"}) limited.resource(uri, "r", "text");
    auto const subscribe = [](std::string const& uri) {
        return R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":")" + uri +
               R"("}})";
    };
    RawClient one(context, limited);
    one.initialize();
    EXPECT_EQ(at(one.answer(subscribe("r://1")), "error"), nullptr);
    EXPECT_EQ(at(one.answer(subscribe("r://2")), "error"), nullptr);
    EXPECT_EQ(limited.limit_counts().subscriptions, 0U);
    EXPECT_EQ(at(one.answer(subscribe("r://3")), "error", "code"), -32006);
    EXPECT_EQ(limited.limit_counts().subscriptions, 1U);
    // A stream counts as one subscription, and so does each of its resources.
    auto const listen = [](std::string_view uris) {
        return R"({"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{)"
               R"("notifications":{"resourceSubscriptions":[)" +
               std::string(uris) + "]}," + RawClient::meta() + "}}";
    };
    RawClient two(context, limited);
    EXPECT_EQ(at(two.ask(listen(R"("r://1","r://2")")), "error", "code"), -32603);
    EXPECT_EQ(limited.limit_counts().subscriptions, 2U);
    EXPECT_EQ(at(two.ask(listen(R"("r://1")")), "method"),
              "notifications/subscriptions/acknowledged");
    EXPECT_EQ(limited.limit_counts().subscriptions, 2U);
    for (auto* const each : {&one, &two}) {
        each->close();
        each->poll();
    }
}

TEST_F(HardeningTest, a_peer_that_does_not_read_is_disconnected) {
    server.tool("large", "", [] { return std::string(100'000, 'x'); }, ToolOptions().inline_());
    RawClient deaf(context, server, 1 << 16);
    deaf.write(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
               R"("2025-11-25","capabilities":{},"clientInfo":{"name":"d","version":"1"}}})");
    deaf.write(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    auto const run = [&] {
        context.restart();
        context.poll();
    };
    run();
    for (int i = 1; i <= 30; ++i) {
        deaf.write(call(std::to_string(i), "large"));
        run();
    }
    EXPECT_FALSE(deaf.served());
    // The server stops reading while the client has too many unread answers.
    EXPECT_LT(server.sessions().back().requests, 20U);
    time.advance(30s - 1ns);
    run();
    EXPECT_FALSE(deaf.served());
    time.advance(1ns);
    run();
    EXPECT_TRUE(deaf.served());
    EXPECT_EQ(server.limit_counts().unread, 1U);
}

TEST_F(HardeningTest, a_peer_that_leaves_too_much_unread_is_disconnected_at_once) {
    server.tool("large", "", [] { return std::string(100'000, 'x'); }, ToolOptions().inline_());
    RawClient deaf(context, server, 1 << 16);
    // All requests are read before the first one is answered.
    for (int i = 1; i <= 200; ++i) {
        deaf.write(call(std::to_string(i), "large", "," + RawClient::meta()));
    }
    context.restart();
    context.poll();
    EXPECT_TRUE(deaf.served());
}

TEST_F(HardeningTest, stopping_completes_pending_calls_and_refuses_new_ones) {
    client.initialize();
    client.send(call("1", "sleep"));
    server.stop();
    client.poll();
    EXPECT_TRUE(at(client.ask(call("2", "echo")), "error").is_object());
    EXPECT_FALSE(client.closed());
    time.advance(1s);
    client.poll();
    EXPECT_EQ(at(client.next_json(), "result", "content", 0, "text"), "slept");
    EXPECT_TRUE(client.closed());
    EXPECT_TRUE(client.served());
    // New connections are closed afterwards.
    RawClient late(context, server);
    late.poll();
    EXPECT_TRUE(late.served());
}

TEST_F(HardeningTest, stopping_waits_no_longer_than_the_grace) {
    client.initialize();
    client.send(call("1", "sleep"));
    std::thread([this] { server.stop(500ms); }).join();
    client.poll();
    EXPECT_FALSE(client.closed());
    time.advance(500ms);
    client.poll();
    EXPECT_TRUE(client.served());
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(HardeningTest, a_server_may_be_destroyed_while_sessions_live) {
    auto brief = std::make_unique<Server>("s", "1", options);
    brief->tool("sleep", "", [this]() -> Task<> { co_await sleep_for(time, 1h); });
    std::atomic<bool> entered = false;
    brief->tool("work", "", [&](Context& ctx) {
        entered = true;
        while (!ctx.cancelled()) std::this_thread::yield();
    });
    RawClient one(context, *brief);
    one.initialize();
    one.send(call("1", "sleep"));
    one.send(call("2", "work"));
    while (!entered) std::this_thread::yield();
    std::thread loop([&] {
        while (!one.served()) one.poll();
    });
    brief.reset();
    loop.join();
    EXPECT_TRUE(one.closed());
}

TEST_F(HardeningTest, a_connection_that_ends_cancels_its_calls) {
    std::atomic<int> stopped = 0;
    std::atomic<bool> entered = false;
    server.tool("work", "", [&](Context& ctx) {
        entered = true;
        while (!ctx.cancelled()) std::this_thread::yield();
        ctx.report_progress(1);
        ctx.log(LoggingLevel::error, "too late");
        ++stopped;
    });
    client.initialize();
    client.send(call("1", "sleep"));
    client.send(call("2", "work"));
    while (!entered) std::this_thread::yield();
    client.close();
    client.poll();
    EXPECT_TRUE(client.served());
    while (stopped == 0) std::this_thread::yield();
    EXPECT_TRUE(server.sessions().empty());
}

TEST_F(HardeningTest, features_may_be_changed_while_they_are_used) {
    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    for (int n = 0; n < 2; ++n) {
        threads.emplace_back([&, n] {
            for (int i = 0; i < 300; ++i) {
                server.tool("t" + std::to_string(n), "", [] { return "t"; });
                server.resource("r://" + std::to_string(n), "r", "text");
                server.resource_updated("r://0");
                server.remove_tool("t" + std::to_string(n));
                server.log(LoggingLevel::error, i);
                server.sessions();
            }
        });
    }
    std::thread waiter([&] {
        for (auto& thread : threads) thread.join();
        done = true;
    });
    client.initialize();
    int answered = 0;
    do {
        auto const answer = client.answer(call("1", answered % 2 == 0 ? "t0" : "echo"));
        EXPECT_TRUE(at(answer, "id").is_int64());
        client.answer(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
        ++answered;
    } while (!done);
    waiter.join();
}

}  // namespace
}  // namespace lanyard::server
