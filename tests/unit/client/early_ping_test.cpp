// A ping before the client is ready.
#include "reconnect_fixture.hpp"

namespace lanyard {
namespace {

class EarlyPing : public Reconnect {
protected:
    EarlyPing() {
        client = start(start_client(connector(), watched())).value();
        poll();
    }
};

TEST_P(EarlyPing, is_answered_during_the_handshake) {
    if (is_modern()) return;
    server->error(server->expect("server/discover"), -32601);
    auto const opening = server->expect("initialize");
    auto ready = start(client.await_ready());
    auto pinging = start(client.ping());
    server->result(server->expect("ping"), "{}");
    EXPECT_TRUE(pinging.done());
    EXPECT_FALSE(ready.done());
    server->result(opening, initialization());
    EXPECT_TRUE(ready.done());
}

TEST_P(EarlyPing, ends_when_the_connection_ends) {
    if (is_modern()) return;
    server->error(server->expect("server/discover"), -32601);
    server->expect("initialize");
    auto pinging = start(client.ping());
    server->close();
    EXPECT_TRUE(pinging.error().is(Errc::transport_down)) << pinging.error().what();
}

TEST_P(EarlyPing, is_refused_during_the_probe_and_between_connections) {
    EXPECT_TRUE(start(client.ping()).error().is(Errc::unavailable));
    greet(true);
    server->close();
    EXPECT_TRUE(start(client.ping()).error().is(Errc::unavailable));
    EXPECT_EQ(client.state(), ConnectionState::backoff);
}

LANYARD_EACH_ERA(EarlyPing);

}  // namespace
}  // namespace lanyard
