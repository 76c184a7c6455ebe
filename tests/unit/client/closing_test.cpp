// The end of a connection: from this side, from the other, and with calls in progress.
#include "client_fixture.hpp"

#include <thread>

namespace lanyard {
namespace {

class Closing : public EachEra {};

TEST_P(Closing, every_pending_call_ends_with_shutdown) {
    open(GetParam());
    auto first = start(client.call_tool("a"));
    auto second = start(client.list_tools());
    client.close();
    client.close();
    EXPECT_TRUE(first.error().is(Errc::shutdown));
    EXPECT_TRUE(second.error().is(Errc::shutdown));
    server->next();
    server->next();
    EXPECT_TRUE(server->ended());
    EXPECT_FALSE(client.is_open());
    EXPECT_TRUE(start(client.closed()).done());
    EXPECT_TRUE(start(client.call_tool("b")).error().is(Errc::closed));
    EXPECT_TRUE(start(client.subscribe("a:b")).error().is(Errc::closed));
    EXPECT_TRUE(start(client.notify("notifications/x")).error().is(Errc::closed));
    EXPECT_TRUE(start(client.stop()).done());
}

TEST_P(Closing, destroying_the_last_handle_closes_the_client) {
    open(GetParam());
    auto copy = client;
    client = Client();
    EXPECT_FALSE(server->ended());
    auto calling = start(copy.call_tool("a"));
    copy = Client();
    EXPECT_TRUE(calling.error().is(Errc::shutdown));
    EXPECT_TRUE(server->ended());
}

TEST_P(Closing, closing_from_another_thread_is_safe) {
    open(GetParam());
    auto calling = start(client.call_tool("a"));
    std::thread([this] { client.close(); }).join();
    EXPECT_TRUE(calling.error().is(Errc::shutdown));
    EXPECT_TRUE(server->ended());
}

TEST_P(Closing, a_server_that_disconnects_ends_every_call_and_is_reported) {
    int closed = 0;
    ClientOptions options;
    options.on_closed([&](std::optional<Error> const& reason) {
        ++closed;
        EXPECT_TRUE(reason && reason->is(Errc::transport_down));
        throw std::runtime_error("a handler that throws");
    });
    open(GetParam(), options);
    auto calling = start(client.call_tool("a"));
    auto subscribing = start(client.subscribe("a:b"));
    server->close();
    EXPECT_TRUE(calling.error().is(Errc::transport_down)) << calling.error().what();
    EXPECT_TRUE(subscribing.error().is(Errc::transport_down)) << subscribing.error().what();
    EXPECT_EQ(closed, 1);
    EXPECT_FALSE(client.is_open());
    EXPECT_TRUE(start(client.call_tool("b")).error().is(Errc::closed));
    client.close();
    poll();
    EXPECT_EQ(closed, 1);
    EXPECT_EQ(diagnostics.back(), "the handler on_closed failed");
}

TEST_P(Closing, closing_the_client_is_reported_without_a_reason) {
    int closed = 0;
    ClientOptions options;
    options.on_closed([&](std::optional<Error> const& reason) {
        ++closed;
        EXPECT_FALSE(reason);
    });
    open(GetParam(), options);
    client.close();
    poll();
    EXPECT_EQ(closed, 1);
}

TEST_P(Closing, stopping_completes_pending_calls_and_refuses_new_ones) {
    open(GetParam());
    auto calling = start(client.call_tool("a"));
    auto const request = server->expect("tools/call");
    auto stopping = start(client.stop());
    EXPECT_TRUE(start(client.call_tool("b")).error().is(Errc::shutdown));
    EXPECT_FALSE(stopping.done());
    EXPECT_FALSE(server->ended());
    server->result(request, complete(R"("content":[])"));
    EXPECT_FALSE(calling.value().is_error);
    EXPECT_TRUE(stopping.value());
    EXPECT_TRUE(server->ended());
}

TEST_P(Closing, stopping_waits_no_longer_than_its_grace) {
    open(GetParam());
    auto calling = start(client.call_tool("a"));
    auto stopping = start(client.stop(2s));
    advance(1999ms);
    EXPECT_FALSE(stopping.done());
    advance(1ms);
    EXPECT_TRUE(stopping.value());
    EXPECT_TRUE(calling.error().is(Errc::shutdown));
}

TEST_P(Closing, cancelling_stop_closes_at_once) {
    open(GetParam());
    auto calling = start(client.call_tool("a"));
    auto stopping = start(client.stop());
    EXPECT_FALSE(stopping.done());
    stopping.cancel();
    EXPECT_TRUE(stopping.done());
    EXPECT_TRUE(calling.error().is(Errc::shutdown));
}

TEST_P(Closing, stopping_ends_when_the_server_disconnects) {
    open(GetParam());
    auto calling = start(client.call_tool("a"));
    auto stopping = start(client.stop());
    server->close();
    EXPECT_TRUE(stopping.value());
    EXPECT_TRUE(calling.error().is(Errc::transport_down));
}

TEST_P(Closing, a_handler_of_progress_may_close) {
    open(GetParam());
    CallOptions options;
    options.on_progress([this](ProgressParams const&) { client.close(); });
    auto calling = start(client.call_tool("a", RawJson(), options));
    auto const request = server->expect("tools/call");
    server->notify(
        "notifications/progress",
        R"({"progress":1,"progressToken":)" +
            boost::json::serialize(request.at("params").at("_meta").at("progressToken")) + "}");
    EXPECT_TRUE(calling.error().is(Errc::shutdown));
}

TEST_P(Closing, a_client_may_be_used_from_another_executor) {
    open(GetParam());
    boost::asio::io_context elsewhere;
    Running<CallToolResult> calling(elsewhere, client.call_tool("a"));
    poll();
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_FALSE(calling.value().is_error);

    Running<CallToolResult> cancelled(elsewhere, client.call_tool("b"));
    auto const request = server->expect("tools/call");
    cancelled.cancel();
    EXPECT_EQ(server->expect("notifications/cancelled").at("params").at("requestId"),
              request.at("id"));
    EXPECT_TRUE(cancelled.error().is(Errc::cancelled)) << cancelled.error().what();
    Running<void> stopping(elsewhere, client.stop());
    poll();
    poll();
    EXPECT_TRUE(stopping.done());
}

TEST_P(Closing, a_server_may_die_at_any_byte_of_its_answer) {
    // The memory transport carries whole messages; a cut-off answer arrives as an invalid message.
    auto const answer = complete(R"("content":[{"type":"text","text":"x"}])");
    for (std::size_t cut = 0; cut < answer.size(); ++cut) {
        open(GetParam());
        auto calling = start(client.call_tool("a"));
        auto const request = server->expect("tools/call");
        server->put(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) +
                    R"(,"result":)" + answer.substr(0, cut));
        server->close();
        EXPECT_TRUE(calling.error().is(Errc::transport_down)) << cut;
        EXPECT_FALSE(client.is_open());
    }
}

TEST_P(Closing, a_server_that_does_not_read_makes_later_calls_fail_after_three_tries) {
    open(GetParam());
    server->stall();
    std::string const text(15 * 1024 * 1024, 'x');
    auto const arguments = RawJson(Json(JsonObject{{"text", text}}));
    std::vector<Running<CallToolResult>> calls;
    for (int i = 0; i < 7; ++i) calls.push_back(start(client.call_tool("a", arguments)));
    EXPECT_FALSE(calls.back().done());
    auto refused = start(client.call_tool("b"));
    // Two waits of 10 ms, each up to 50 % longer or shorter.
    time.advance(4ms);
    EXPECT_FALSE(refused.done());
    time.advance(11ms);
    EXPECT_FALSE(refused.done());
    time.advance(15ms);
    EXPECT_TRUE(refused.error().is(Errc::busy));
    EXPECT_EQ(client.limit_counts().busy, 1U);
    client.close();
    for (auto& call : calls) EXPECT_TRUE(call.error().is(Errc::shutdown));
}

TEST_P(Closing, an_opening_that_fails_reports_no_end) {
    ClientOptions options;
    options.on_closed([](std::optional<Error> const&) { ADD_FAILURE(); });
    auto connecting = start(connect(make_transport(), timed(options)));
    server->close();
    EXPECT_TRUE(connecting.done());
}

LANYARD_EACH_ERA(Closing);

TEST(ClientHandle, a_handle_that_was_never_connected_throws) {
    Client const client;
    EXPECT_FALSE(client.is_open());
    client.close();
    EXPECT_THROW(static_cast<void>(client.list_tools()), Error);
}

TEST(ClientHandle, a_loop_may_be_destroyed_with_pending_calls) {
    testing::FakeTime time;
    auto context = std::make_unique<boost::asio::io_context>();
    auto [ours, theirs] = memory_pair(context->get_executor(), context->get_executor());
    std::optional<ServerEnd> server(std::in_place, *context, std::move(theirs));
    ClientOptions options;
    options.time(time).known_server(KnownServer{Version::v2025_11_25, time.wall()});
    Running<Client> connecting(*context, connect(std::move(ours), options));
    server->result(server->expect("initialize"),
                   R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                   R"("serverInfo":{"name":"x","version":"1"}})");
    auto const client = connecting.value();
    {
        Running<CallToolResult> calling(*context, client.call_tool("a"));
        Running<void> closing(*context, client.closed());
    }
    server.reset();
    client.close();
    context->restart();
    context->poll();
}

}  // namespace
}  // namespace lanyard
