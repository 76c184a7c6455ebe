// The states of a client as the user sees them: their history, `closing` while the client stops,
// and what is known about the server.
#include "reconnect_fixture.hpp"

namespace lanyard {
namespace {

using enum ConnectionState;

class History : public Reconnect {
protected:
    std::vector<ConnectionState> states() const {
        std::vector<ConnectionState> all;
        for (auto const& change : client.history()) all.push_back(change.to);
        return all;
    }
};

TEST_P(History, contains_the_changes_with_their_times_and_reasons) {
    connect_client();
    EXPECT_EQ(states(), (std::vector{initializing, ready}));
    auto const connected = time.wall();
    advance(5s);
    server->close();
    recover();
    EXPECT_EQ(states(), (std::vector{initializing, ready, backoff, starting, initializing, ready}));
    auto const history = client.history();
    EXPECT_EQ(history[0].from, starting);
    EXPECT_EQ(history[1].at, connected);
    EXPECT_EQ(history[2].at, connected + 5s);
    EXPECT_EQ(history[3].at, connected + 6s);
    ASSERT_TRUE(history[2].reason);
    EXPECT_TRUE(history[2].reason->is(Errc::transport_down));
    EXPECT_FALSE(history[3].reason);
    EXPECT_EQ(recorder->states, states());
}

TEST_P(History, is_limited_to_the_latest_changes) {
    connect_client();
    for (int i = 0; i < 10; ++i) {
        server->close();
        advance(1min);
        greet(false);
    }
    auto const history = client.history();
    ASSERT_EQ(history.size(), 32U);
    EXPECT_EQ(history.back().to, ready);
    for (std::size_t i = 1; i < history.size(); ++i) {
        EXPECT_EQ(history[i].from, history[i - 1].to);
        EXPECT_GE(history[i].at, history[i - 1].at);
    }
}

TEST_P(History, a_client_that_was_never_connected_has_none) {
    EXPECT_TRUE(Client().history().empty());
}

TEST_P(History, stopping_shows_closing_while_calls_are_pending) {
    connect_client();
    auto pending = start(client.call_tool("slow"));
    auto const slow = server->expect("tools/call");
    auto stopping = start(client.stop(10s));
    EXPECT_EQ(client.state(), closing);
    EXPECT_FALSE(client.is_open());
    EXPECT_EQ(recorder->states.back(), closing);
    EXPECT_TRUE(error_of(client.call_tool("late")).is(Errc::shutdown));
    server->result(slow, complete(R"("content":[])"));
    EXPECT_FALSE(pending.value().is_error);
    EXPECT_TRUE(stopping.value());
    EXPECT_EQ(states(), (std::vector{initializing, ready, closing, closed}));
    EXPECT_EQ(recorder->states, states());
}

TEST_P(History, a_connection_lost_while_stopping_still_ends_as_closed) {
    connect_client();
    auto pending = start(client.call_tool("slow"));
    server->expect("tools/call");
    auto stopping = start(client.stop(10s));
    server->close();
    EXPECT_TRUE(pending.error().is(Errc::transport_down));
    EXPECT_TRUE(stopping.value());
    EXPECT_EQ(states(), (std::vector{initializing, ready, closing, closed}));
}

TEST_P(History, the_capabilities_of_the_server_are_an_error_before_the_first_connection) {
    script->refuses = true;
    auto begun = start(start_client(connector(), watched()));
    client = begun.value();
    poll();
    try {
        client.server_capabilities();
        ADD_FAILURE();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::not_initialized));
    }
    script->refuses = false;
    advance(1s);
    greet(true);
    EXPECT_TRUE(client.server_capabilities().tools);
    EXPECT_EQ(client.version(), GetParam());
    server->close();
    EXPECT_TRUE(client.server_capabilities().tools) << "of the last connection";
}

LANYARD_EACH_ERA(History);

}  // namespace
}  // namespace lanyard
