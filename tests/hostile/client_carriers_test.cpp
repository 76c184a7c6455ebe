// The target answers on every transport, so that the other tests attack a working server.
#include "hostile/target.hpp"

namespace lanyard::test {
namespace {

TEST(HostileClient, the_target_answers_on_every_carrier) {
    Target const target;
    HttpPeer http(target.http());
    http.open();
    EXPECT_NE(http.post(echo_request("over http")).find("over http"), std::string::npos);

    LinePeer lines(target.tcp());
    lines.open();
    EXPECT_NE(lines.ask(echo_request("over tcp")).find("over tcp"), std::string::npos);

    RawWebSocket socket(target.http());
    ASSERT_TRUE(socket.opened()) << socket.head;
    socket.send_text(initialize_request());
    socket.read_text();
    socket.send_text(std::string(initialized_notification));
    socket.send_text(echo_request("over websocket"));
    EXPECT_NE(socket.read_text().find("over websocket"), std::string::npos);

    RawClient stream(target.http());
    stream.send("GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    EXPECT_NE(stream.read_until("event: endpoint").find("200 OK"), std::string::npos);

    ServerProcess stdio({LANYARD_HOSTILE_TARGET});
    stdio.initialize();
    EXPECT_TRUE(stdio.ask(echo_request("over stdio")).as_object().contains("result"));
}

}  // namespace
}  // namespace lanyard::test
