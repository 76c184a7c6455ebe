// How a client ends from every state.
#include "reconnect_fixture.hpp"

namespace lanyard {
namespace {

using enum ConnectionState;

class Ending : public Reconnect {};

TEST_P(Ending, closing_works_in_every_state_and_twice) {
    for (auto const state : {starting, initializing, ready, backoff, closed, failed}) {
        SCOPED_TRACE(to_string(state));
        script = std::make_shared<ScriptedConnector::Script>();
        script->make = [this] { return make_transport(); };
        recorder = std::make_shared<Recorder>();
        int ends = 0;
        ClientOptions options;
        options.on_closed([&](std::optional<Error> const&) { ++ends; });
        if (state == failed) options.reconnect(ReconnectOptions().max_attempts(0));
        script->hangs = state == starting;
        script->refuses = state == backoff || state == failed;
        auto begun = start(start_client(connector(), watched(options)));
        client = begun.value();
        poll();
        if (state == ready || state == closed) greet(true);
        auto waiting = start(client.call_tool("a", RawJson(), patient()));
        recorder->on_state_hook = [&](ConnectionState now) {
            if (now != closing) return;
            EXPECT_EQ(client.state(), closing);
            client.close();
        };
        if (state == closed) {
            client.close();
            poll();
        }
        EXPECT_EQ(client.state(), state);
        client.close();
        std::thread([this] { client.close(); }).join();
        auto const copy = client;
        copy.close();
        poll();
        EXPECT_EQ(client.state(), state == failed ? failed : closed);
        EXPECT_EQ(ends, 1);
        bool const given_up = state == failed;
        EXPECT_TRUE(waiting.error().is(given_up ? Errc::failed : Errc::shutdown))
            << waiting.error().what();
        EXPECT_TRUE(start(client.closed()).value());
        EXPECT_TRUE(start(client.stop()).value());
        EXPECT_TRUE(error_of(client.call_tool("a")).is(given_up ? Errc::failed : Errc::closed));
        auto const opened = script->opened;
        advance(1h);
        EXPECT_EQ(script->opened, opened);
        EXPECT_EQ(ends, 1);
    }
}

TEST_P(Ending, a_client_may_be_dropped_in_every_state) {
    for (auto const state : {starting, initializing, ready, backoff}) {
        SCOPED_TRACE(to_string(state));
        script->hangs = state == starting;
        script->refuses = state == backoff;
        int ends = 0;
        ClientOptions options;
        options.on_closed([&](std::optional<Error> const&) { ++ends; });
        auto begun = start(start_client(connector(), watched(options)));
        client = begun.value();
        poll();
        if (state == ready) greet(true);
        EXPECT_EQ(client.state(), state);
        client = Client();
        poll();
        EXPECT_EQ(ends, 1);
    }
}

TEST_P(Ending, stopping_works_in_every_state) {
    for (auto const state : {starting, initializing, backoff}) {
        SCOPED_TRACE(to_string(state));
        script->hangs = state == starting;
        script->refuses = state == backoff;
        auto begun = start(start_client(connector(), watched()));
        client = begun.value();
        poll();
        EXPECT_EQ(client.state(), state);
        auto waiting = start(client.call_tool("a", RawJson(), patient()));
        EXPECT_TRUE(start(client.stop()).value());
        EXPECT_EQ(client.state(), closed);
        EXPECT_TRUE(waiting.error().is(Errc::shutdown));
    }
}

TEST_P(Ending, a_connection_lost_while_stopping_is_not_opened_again) {
    connect_client();
    auto calling = start(client.call_tool("a"));
    auto stopping = start(client.stop());
    server->close();
    EXPECT_TRUE(calling.error().is(Errc::transport_down));
    EXPECT_TRUE(stopping.value());
    EXPECT_EQ(client.state(), closed);
    advance(1h);
    EXPECT_EQ(script->opened, 1);
}

TEST_P(Ending, an_observer_may_close_at_every_transition) {
    for (auto const state : {backoff, starting, initializing, ready}) {
        SCOPED_TRACE(to_string(state));
        recorder = std::make_shared<Recorder>();
        connect_client();
        recorder->on_state_hook = [this, state](ConnectionState now) {
            if (now == state) client.close();
        };
        server->close();
        if (state != backoff) advance(1s);
        if (state == ready) greet(false);
        EXPECT_EQ(client.state(), closed);
        EXPECT_TRUE(server->ended());
        EXPECT_TRUE(start(client.closed()).value());
    }
}

TEST_P(Ending, a_transport_that_comes_too_late_is_closed) {
    connect_client();
    script->make = [this] {
        client.close();
        return make_transport();
    };
    server->close();
    advance(1s);
    EXPECT_EQ(client.state(), closed);
    EXPECT_TRUE(server->ended());
}

LANYARD_EACH_ERA(Ending);

}  // namespace
}  // namespace lanyard
