// A client that loses its connection: what happens to calls, when it reconnects, and what it
// restores.
#include "reconnect_fixture.hpp"

namespace lanyard {
namespace {

using enum ConnectionState;

// Only servers of these revisions send requests.
class WithHandshake : public Reconnect {};
INSTANTIATE_TEST_SUITE_P(Version, WithHandshake, ::testing::Values(Version::v2025_11_25), name_of);

TEST_P(Reconnect, a_lost_connection_is_opened_again) {
    // Shared, because the client closes after the end of the test.
    auto const closed = std::make_shared<int>(0);
    ClientOptions options;
    options.on_closed([closed](std::optional<Error> const&) { ++*closed; });
    connect_client(options);
    EXPECT_EQ(client.connect_count(), 1U);
    auto calling = start(client.call_tool("a"));
    server->expect("tools/call");
    server->close();
    EXPECT_TRUE(calling.error().is(Errc::transport_down)) << calling.error().what();
    EXPECT_EQ(client.state(), backoff);
    EXPECT_FALSE(client.is_open());
    EXPECT_TRUE(error_of(client.call_tool("b")).is(Errc::unavailable));
    EXPECT_TRUE(start(client.subscribe("a:b")).error().is(Errc::unavailable));
    EXPECT_TRUE(start(client.notify("notifications/x")).error().is(Errc::unavailable));
    EXPECT_TRUE(start(client.request("x/y")).error().is(Errc::unavailable));
    EXPECT_TRUE(start(client.start_tool_task("a")).error().is(Errc::unavailable));
    EXPECT_EQ(client.server_info().name, "scripted");
    advance(999ms);
    EXPECT_EQ(script->opened, 1);
    EXPECT_EQ(client.connect_count(), 1U);
    recover(1ms);
    EXPECT_EQ(script->opened, 2);
    EXPECT_EQ(client.connect_count(), 2U);
    auto again = start(client.call_tool("b"));
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_FALSE(again.value().is_error);
    EXPECT_EQ(*closed, 0);
    std::vector<ConnectionState> const states{initializing, ready,        backoff,
                                              starting,     initializing, ready};
    EXPECT_EQ(recorder->states, states);
}

TEST_P(Reconnect, waits_grow_while_connecting_fails) {
    connect_client();
    script->refuses = true;
    server->close();
    int opened = 1;
    for (auto const wait : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
        advance(wait - 1ns);
        EXPECT_EQ(script->opened, opened);
        advance(1ns);
        EXPECT_EQ(script->opened, ++opened);
        EXPECT_EQ(client.state(), backoff);
    }
    auto const error = error_of(client.call_tool("a"));
    EXPECT_NE(std::string(error.what()).find("nobody listens"), std::string::npos) << error.what();
    script->refuses = false;
    advance(30s);
    greet(true);  // after a failed attempt the client probes again
    EXPECT_EQ(client.state(), ready);
}

TEST_P(Reconnect, a_connector_may_throw_anything) {
    script->throws = "odd";
    auto begun = start(start_client(connector(), watched()));
    client = begun.value();
    poll();
    EXPECT_EQ(client.state(), backoff);
    EXPECT_EQ(recorder->reasons.back(), "the connector threw something unknown");
    script->throws = nullptr;
    advance(1s);
    greet(true);
    EXPECT_EQ(client.state(), ready);
}

TEST_P(Reconnect, a_server_that_does_not_finish_the_handshake_is_an_attempt_that_failed) {
    connect_client();
    server->close();
    advance(1s);
    EXPECT_EQ(client.state(), initializing);
    EXPECT_TRUE(error_of(client.call_tool("a")).is(Errc::unavailable));
    server->next();
    server->close();
    if (is_modern()) {
        // Some servers close the connection on a probe, so the client tries the handshake next.
        server->expect("initialize");
        server->close();
    }
    EXPECT_EQ(client.state(), backoff);
    advance(2s);
    greet(true);
    EXPECT_EQ(client.state(), ready);
}

TEST_P(Reconnect, a_call_may_wait_for_the_connection) {
    connect_client();
    server->close();
    auto waiting = start(client.call_tool("a", RawJson(), patient()));
    auto listing = start(client.list_tools(patient()));
    auto raw = start(client.request("tools/list", RawJson(), patient()));
    EXPECT_FALSE(waiting.done());
    recover();
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_FALSE(waiting.value().is_error);
    auto const empty =
        complete(is_modern() ? R"("tools":[],"ttlMs":0,"cacheScope":"private")" : R"("tools":[])");
    server->result(server->expect("tools/list"), empty);
    server->result(server->expect("tools/list"), empty);
    EXPECT_TRUE(listing.value().empty());
    EXPECT_TRUE(raw.done());
}

TEST_P(Reconnect, a_call_waits_no_longer_than_its_timeout) {
    connect_client();
    script->refuses = true;
    server->close();
    auto waiting = start(client.call_tool("a", RawJson(), patient().timeout(10s)));
    auto patient_by_default = start(client.call_tool("a", RawJson(), patient()));
    advance(10s - 1ns);
    EXPECT_FALSE(waiting.done());
    advance(1ns);
    EXPECT_TRUE(waiting.error().is(Errc::timeout)) << waiting.error().what();
    EXPECT_FALSE(patient_by_default.done());
    advance(20s);
    EXPECT_TRUE(patient_by_default.error().is(Errc::timeout));
}

TEST_P(Reconnect, a_call_that_waits_can_be_cancelled) {
    connect_client();
    server->close();
    std::stop_source stop;
    auto by_token = start(client.call_tool("a", RawJson(), patient().stop_token(stop.get_token())));
    auto by_coroutine = start(client.call_tool("a", RawJson(), patient()));
    EXPECT_FALSE(by_token.done());
    std::thread([&] { stop.request_stop(); }).join();
    EXPECT_TRUE(by_token.error().is(Errc::cancelled));
    by_coroutine.cancel();
    EXPECT_TRUE(by_coroutine.error().is(Errc::cancelled)) << by_coroutine.error().what();
    recover();
    EXPECT_TRUE(server->silent());
}

TEST_P(Reconnect, readiness_can_be_awaited) {
    connect_client();
    EXPECT_TRUE(start(client.await_ready()).done());
    server->close();
    auto first = start(client.await_ready());
    auto second = start(client.await_ready(500ms));
    EXPECT_FALSE(first.done());
    advance(500ms);
    EXPECT_TRUE(second.error().is(Errc::timeout));
    recover(500ms);
    EXPECT_TRUE(first.value());
}

TEST_P(Reconnect, ids_continue_after_a_reconnect_and_late_answers_are_ignored) {
    connect_client();
    auto calling = start(client.call_tool("a"));
    auto const lost = server->expect("tools/call");
    server->close();
    recover();
    auto next = start(client.call_tool("b"));
    auto const request = server->expect("tools/call");
    EXPECT_GT(request.at("id").as_int64(), lost.at("id").as_int64());
    server->result(lost, complete(R"("content":[])"));
    EXPECT_FALSE(next.done());
    EXPECT_TRUE(calling.error().is(Errc::transport_down));
    server->result(request, complete(R"("content":[])"));
    EXPECT_FALSE(next.value().is_error);
    EXPECT_TRUE(diagnostics.empty() || diagnostics.back().find("never sent") == std::string::npos);
}

TEST_P(Reconnect, subscriptions_and_log_level_are_restored) {
    ClientOptions options;
    options.on_list_changed([](ListKind) {});
    std::vector<std::string> updated;
    options.on_resource_updated([&](std::string const& uri) { updated.push_back(uri); });
    connect_client(options);
    if (is_modern()) {
        acknowledge(server->expect("subscriptions/listen"));
        auto subscribing = start(client.subscribe("a:b"));
        acknowledge(server->expect("subscriptions/listen"));
        EXPECT_TRUE(subscribing.value());
        server->expect("notifications/cancelled");
        EXPECT_TRUE(start(client.set_log_level(LoggingLevel::warning)).value());
    } else {
        auto subscribing = start(client.subscribe("a:b"));
        server->result(server->expect("resources/subscribe"), "{}");
        EXPECT_TRUE(subscribing.value());
        auto setting = start(client.set_log_level(LoggingLevel::warning));
        server->result(server->expect("logging/setLevel"), "{}");
        EXPECT_TRUE(setting.value());
    }
    server->close();
    recover();
    if (is_modern()) {
        auto const listen = server->expect("subscriptions/listen");
        EXPECT_EQ(listen.at("params").at("notifications").at("resourceSubscriptions").at(0), "a:b");
        EXPECT_EQ(listen.at("params").at("_meta").at("io.modelcontextprotocol/logLevel"),
                  "warning");
        acknowledge(listen);
        server->notify("notifications/resources/updated",
                       R"({"uri":"a:b","_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                           boost::json::serialize(listen.at("id")) + "}}");
    } else {
        EXPECT_EQ(server->expect("resources/subscribe").at("params").at("uri"), "a:b");
        EXPECT_EQ(server->expect("logging/setLevel").at("params").at("level"), "warning");
        server->notify("notifications/resources/updated", R"({"uri":"a:b"})");
    }
    EXPECT_EQ(updated, std::vector<std::string>{"a:b"});
    EXPECT_TRUE(server->silent());
}

TEST_P(WithHandshake, the_next_server_gets_roots_that_changed_while_disconnected) {
    ClientOptions options;
    options.roots({Root{"file:///before"}});
    connect_client(options);
    server->close();
    EXPECT_TRUE(start(client.set_roots(std::vector{Root{"file:///after"}})).value());
    recover();
    server->request(1, "roots/list", "{}");
    EXPECT_EQ(server->next().at("result").at("roots").at(0).at("uri"), "file:///after");
}

TEST_P(Reconnect, a_reconnect_drops_the_cache_and_may_reach_another_server) {
    connect_client();
    if (is_modern()) {
        auto listing = start(client.list_tools());
        server->result(server->expect("tools/list"),
                       complete(R"("tools":[{"name":"a","inputSchema":{"type":"object"}}],)"
                                R"("ttlMs":100000,"cacheScope":"private")"));
        EXPECT_EQ(listing.value().size(), 1u);
        EXPECT_EQ(start(client.list_tools()).value().size(), 1u);
    }
    server->close();
    advance(1s);
    // The new server has a different era.
    if (is_modern()) {
        server->error(server->expect("server/discover"), -32601);
        server->result(server->expect("initialize"),
                       initialization("2025-06-18", R"({"tools":{}})"));
        server->expect("notifications/initialized");
    } else {
        server->error(server->expect("initialize"), -32022,
                      R"({"supported":["2026-07-28"],"requested":"2025-11-25"})");
        advance(2s);
        server->result(server->expect("server/discover"), discovery(R"({"tools":{}})"));
    }
    ASSERT_EQ(client.state(), ready);
    EXPECT_EQ(client.version(), is_modern() ? Version::v2025_06_18 : Version::v2026_07_28);
    EXPECT_FALSE(client.server_capabilities().resources);
    EXPECT_TRUE(start(client.read_resource("a:b")).error().is(Errc::capability_missing));
    auto listing = start(client.list_tools());
    server->expect("tools/list");
    EXPECT_FALSE(listing.done());
}

TEST_P(Reconnect, attempts_can_be_limited) {
    std::optional<Error> reason;
    ClientOptions options;
    options.reconnect(ReconnectOptions().max_attempts(2));
    options.on_closed([&](std::optional<Error> const& error) { reason = error; });
    connect_client(options);
    script->refuses = true;
    server->close();
    auto waiting = start(client.call_tool("a", RawJson(), patient()));
    auto closing = start(client.closed());
    advance(1s);
    EXPECT_EQ(client.state(), backoff);
    EXPECT_EQ(client.limit_counts().given_up, 0U);
    advance(2s);
    EXPECT_EQ(client.state(), failed);
    EXPECT_EQ(client.limit_counts().given_up, 1U);
    EXPECT_TRUE(reason && reason->is(Errc::unavailable));
    EXPECT_TRUE(waiting.error().is(Errc::failed)) << waiting.error().what();
    EXPECT_TRUE(error_of(client.call_tool("a")).is(Errc::failed));
    EXPECT_TRUE(start(client.await_ready()).error().is(Errc::failed));
    EXPECT_TRUE(closing.value());
    client.close();
    poll();
    EXPECT_EQ(client.state(), failed);
    EXPECT_TRUE(start(client.stop()).value());
    advance(1h);
    EXPECT_EQ(script->opened, 3);
}

TEST_P(Reconnect, without_reconnecting_the_first_connection_is_the_last) {
    std::optional<Error> reason;
    ClientOptions options;
    options.reconnect(ReconnectOptions::off());
    options.on_closed([&](std::optional<Error> const& error) { reason = error; });
    connect_client(options);
    server->close();
    EXPECT_EQ(client.state(), failed);
    EXPECT_TRUE(reason && reason->is(Errc::transport_down));
    EXPECT_TRUE(error_of(client.call_tool("a")).is(Errc::closed));
    EXPECT_TRUE(error_of(client.call_tool("a", RawJson(), patient())).is(Errc::closed));
    EXPECT_EQ(client.limit_counts().given_up, 0U);
    advance(1h);
    EXPECT_EQ(script->opened, 1);
}

TEST_P(Reconnect, without_reconnecting_a_started_client_tries_once) {
    script->refuses = true;
    ClientOptions options;
    options.reconnect(ReconnectOptions::off());
    auto begun = start(start_client(connector(), watched(options)));
    client = begun.value();
    poll();
    EXPECT_EQ(client.state(), failed);
    EXPECT_EQ(script->opened, 1);
    script->refuses = false;
    auto again = start(start_client(connector(), watched(options)));
    client = again.value();
    greet(true);
    EXPECT_EQ(client.state(), ready);
    server->close();
    EXPECT_EQ(client.state(), failed);
}

TEST_P(Reconnect, a_client_of_an_open_transport_ends_with_it) {
    open(GetParam());
    server->close();
    EXPECT_EQ(client.state(), failed);
    advance(1h);
    EXPECT_TRUE(error_of(client.call_tool("a")).is(Errc::closed));
}

TEST_P(Reconnect, a_server_that_is_started_is_not_started_too_often) {
    script->starts_peer = true;
    ClientOptions options;
    options.reconnect(ReconnectOptions().interval(1ms, 1ms));
    connect_client(options);
    for (int restarts = 0; restarts < 5; ++restarts) {
        server->close();
        ASSERT_EQ(client.state(), backoff);
        recover(1ms);
    }
    server->close();
    EXPECT_EQ(client.state(), failed);
    EXPECT_TRUE(error_of(client.call_tool("a")).is(Errc::failed));
}

TEST_P(Reconnect, a_server_that_does_not_answer_pings_is_given_up) {
    connect_client();
    auto calling = start(client.call_tool("a", RawJson(), CallOptions().timeout(2s)));
    auto other = start(client.call_tool("b"));
    advance(2s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    EXPECT_EQ(client.state(), ready);
    advance(5s);
    EXPECT_EQ(client.state(), backoff);
    EXPECT_TRUE(other.error().is(Errc::transport_down)) << other.error().what();
    EXPECT_EQ(recorder->reasons.back(),
              "the connection has ended: the server gives no sign of life");
}

TEST_P(Reconnect, a_server_has_as_long_as_the_ping_timeout_to_answer) {
    connect_client(ClientOptions().ping_timeout(1s));
    auto calling = start(client.call_tool("a", RawJson(), CallOptions().timeout(2s)));
    advance(2s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    advance(1s - 1ns);
    EXPECT_EQ(client.state(), ready);
    advance(1ns);
    EXPECT_EQ(client.state(), backoff);
}

TEST_P(Reconnect, a_ping_of_the_user_has_the_ping_timeout_too) {
    struct Case {
        ClientOptions options;
        Duration expected;
    };
    std::vector<Case> const cases{{ClientOptions().timeout(1h), 5s},
                                  {ClientOptions().timeout(1h).ping_timeout(3s), 3s},
                                  {ClientOptions().timeout(7s).ping_timeout(0s), 7s}};
    for (auto const& [options, expected] : cases) {
        connect_client(options);
        auto pinging = start(client.ping());
        server->expect(is_modern() ? "server/discover" : "ping");
        advance(expected - 1ns);
        EXPECT_FALSE(pinging.done());
        advance(1ns);
        EXPECT_TRUE(pinging.error().is(Errc::timeout));
        client.close();
        poll();
    }
}

TEST_P(Reconnect, without_a_ping_timeout_an_unresponsive_server_is_kept) {
    connect_client(ClientOptions().ping_timeout(0s));
    auto calling = start(client.call_tool("a", RawJson(), CallOptions().timeout(2s)));
    server->expect("tools/call");
    advance(2s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    server->expect("notifications/cancelled");
    EXPECT_TRUE(server->silent());
    advance(1min);
    EXPECT_EQ(client.state(), ready);
}

TEST_P(Reconnect, a_slow_server_that_answers_pings_is_kept) {
    connect_client();
    for (int i = 0; i < 2; ++i) {
        auto first = start(client.call_tool("a", RawJson(), CallOptions().timeout(2s)));
        auto second = start(client.call_tool("a", RawJson(), CallOptions().timeout(2s)));
        server->expect("tools/call");
        server->expect("tools/call");
        advance(2s);
        EXPECT_TRUE(first.error().is(Errc::timeout));
        EXPECT_TRUE(second.error().is(Errc::timeout));
        // The client sends one probe for both calls, next to two cancellations.
        Json question;
        for (int messages = 0; messages < 3; ++messages) {
            auto message = server->next();
            if (message.at("method") != "notifications/cancelled") question = message;
        }
        EXPECT_TRUE(server->silent());
        EXPECT_EQ(question.at("method"), is_modern() ? "server/discover" : "ping");
        server->error(question, -32603);
        advance(1min);
        EXPECT_EQ(client.state(), ready);
    }
}

TEST_P(Reconnect, without_reconnecting_no_ping_is_sent) {
    open(GetParam());
    auto calling = start(client.call_tool("a", RawJson(), CallOptions().timeout(2s)));
    server->expect("tools/call");
    advance(2s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    server->expect("notifications/cancelled");
    advance(1min);
    EXPECT_TRUE(server->silent());
    EXPECT_EQ(client.state(), ready);
}

TEST_P(Reconnect, a_client_can_be_started_before_its_server) {
    script->refuses = true;
    auto begun = start(start_client(connector(), watched()));
    client = begun.value();
    poll();
    EXPECT_EQ(client.state(), backoff);
    EXPECT_EQ(client.server_info().name, "");
    EXPECT_TRUE(start(client.pending()).value().empty());
    EXPECT_TRUE(error_of(client.call_tool("a")).is(Errc::unavailable));
    script->refuses = false;
    advance(1s);
    greet(true);
    EXPECT_EQ(client.state(), ready);
    EXPECT_EQ(client.server_info().name, "scripted");
    EXPECT_EQ(recorder->reasons.at(0), "nobody listens");
}

TEST_P(WithHandshake, an_answer_to_a_question_of_a_lost_connection_is_dropped) {
    ClientOptions options;
    bool asked = false;
    testing::FakeTime& clock = time;
    options.on_roots([&]() -> Task<std::vector<Root>> {
        asked = true;
        auto const later = clock.now() + 5s;
        co_await sleep_until(clock, later);
        std::vector<Root> roots;
        co_return roots;
    });
    connect_client(options);
    server->request(1, "roots/list", "{}");
    EXPECT_TRUE(asked);
    server->close();
    recover();
    server->request(1, "roots/list", "{}");
    advance(4s);
    EXPECT_TRUE(server->silent());
    advance(1s);
    EXPECT_EQ(server->next().at("id"), 1);
    EXPECT_TRUE(server->silent());
}

TEST_P(Reconnect, an_observer_is_called_for_every_event) {
    connect_client();
    recorder->events.clear();
    auto calling = start(client.call_tool("a"));
    auto const request = server->expect("tools/call");
    advance(20ms);
    server->result(request, complete(R"("content":[])"));
    calling.done();
    auto refused = start(client.call_tool("b"));
    server->error(server->expect("tools/call"), -32603);
    refused.done();
    server->notify("notifications/x");
    server->send(R"({"jsonrpc":"2.0","id":77,"result":{}})");
    auto lost = start(client.call_tool("c"));
    server->close();
    lost.done();
    std::vector<std::string> const expected{
        "start tools/call",
        "end tools/call 20",
        "start tools/call",
        "fail tools/call 0 peer",
        "notifications/x",
        "unknown 77",
        "violation an answer to a request that was never sent",
        "start tools/call",
        "fail tools/call 0 " + make_error_code(Errc::transport_down).message()};
    EXPECT_EQ(recorder->events, expected);
    EXPECT_TRUE(std::ranges::is_sorted(recorder->ids));
}

TEST_P(Reconnect, an_observer_that_throws_harms_nothing) {
    recorder->throws = true;
    connect_client();
    auto calling = start(client.call_tool("a"));
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_FALSE(calling.value().is_error);
    EXPECT_EQ(diagnostics.back(), "the observer failed");
}

LANYARD_EACH_ERA(Reconnect);

}  // namespace
}  // namespace lanyard
