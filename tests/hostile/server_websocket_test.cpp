// Servers that violate the rules of WebSockets.
#include "hostile/hostile_case.hpp"

namespace lanyard::hostile {
namespace {

using test::frame;
namespace opcode = test::opcode;

class HostileWebSocket : public HostileCase {
protected:
    /// Connects to a server that behaves correctly until the client lists tools.
    void open(std::function<void(Wire&)> const& then) {
        Behaviour behaviour;
        behaviour.on_message = [then](Heard const& heard, Out const& out) {
            if (!answer_opening(heard, out)) then(out.wire());
        };
        server.emplace(Carrier::websocket, behaviour);
        connect(*server);
    }
    /// Returns how a call ends; it must end in time and without much memory.
    std::string list(Duration timeout = 1s) {
        MemoryWatch const memory;
        auto const begin = Clock::now();
        auto const listed = attempt(client.list_tools(CallOptions().timeout(timeout)));
        EXPECT_LT(Clock::now() - begin, timeout + 10s);
        memory.expect_below(96 * mebibyte);
        return listed ? "ok" : listed.error().what();
    }
    std::optional<HostileServer> server;
};

TEST_F(HostileWebSocket, a_flood_of_pings_that_is_never_read_is_bounded) {
    open([](Wire& wire) {
        auto const one =
            frame({.opcode = opcode::ping, .payload = std::string(125, 'p'), .masked = false});
        std::string many;
        for (int i = 0; i < 500; ++i) many += one;
        while (wire.write(many)) continue;
    });
    EXPECT_NE(list(is_long() ? 20s : 2s), "ok");
    expect_stop();
}

TEST_F(HostileWebSocket, a_flood_of_pongs_and_empty_fragments_is_bounded) {
    open([](Wire& wire) {
        auto const begin =
            frame({.opcode = opcode::text, .payload = "", .fin = false, .masked = false});
        auto const pair =
            frame({.opcode = opcode::pong, .payload = "", .masked = false}) +
            frame({.opcode = opcode::continuation, .payload = "", .fin = false, .masked = false});
        std::string many;
        while (many.size() < std::size_t{64} * 1024) many += pair;
        if (!wire.write(begin)) return;
        while (wire.write(many)) continue;
    });
    EXPECT_NE(list(is_long() ? 20s : 1s), "ok");
    expect_stop();
}

TEST_F(HostileWebSocket, a_frame_that_is_announced_too_long_is_not_awaited) {
    open([](Wire& wire) {
        std::string const head("\x81\x7F\x00\x00\x00\xFF\xFF\xFF\xFF\xFF", 10);
        if (!wire.write(head)) return;
        std::string const more(64 * 1024, 'x');
        while (wire.write(more)) continue;
    });
    auto const begin = Clock::now();
    EXPECT_NE(list(20s), "ok");
    EXPECT_LT(Clock::now() - begin, 15s) << "it does not wait for the timeout";
}

TEST_F(HostileWebSocket, frames_that_break_a_rule_end_the_connection) {
    std::string const frames[] = {
        frame({.payload = "{}", .reserved = 4, .masked = false}),                 // RSV1
        frame({.opcode = 3, .payload = "", .masked = false}),                     // unknown
        frame({.opcode = opcode::continuation, .payload = "", .masked = false}),  // stray
        frame({.opcode = opcode::binary, .payload = "x", .masked = false}),
        frame({.payload = "\xFF\xFE", .masked = false}),  // not UTF-8
        frame({.opcode = opcode::ping, .payload = std::string(126, 'p'), .masked = false}),
        frame({.opcode = opcode::close, .payload = "x", .masked = false}),
        frame({.payload = "{}", .masked = true}),
        test::close_frame(1001, "\x1b]0;x\x07", false),
    };
    for (auto const& bytes : frames) {
        open([bytes](Wire& wire) {
            wire.write(bytes);
            while (wire.fill()) wire.buffer().clear();
        });
        auto const begin = Clock::now();
        EXPECT_NE(list(20s), "ok");
        EXPECT_LT(Clock::now() - begin, 15s) << "it does not wait for the timeout";
        client = {};
    }
}

TEST_F(HostileWebSocket, invalid_answers_to_the_upgrade_fail_the_opening) {
    std::string const answers[] = {
        "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
        "HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        "x\r\n\r\n",
        std::string("\0\0\0\0\r\n\r\n", 8),
        "",
    };
    for (auto const& answer : answers) {
        Behaviour behaviour;
        behaviour.on_connection = [answer](Wire& wire) {
            wire.read_to("\r\n\r\n");
            wire.write(answer);
        };
        HostileServer hostile(Carrier::websocket, behaviour);
        auto const begin = Clock::now();
        auto const opened = attempt(hostile.connect(context.get_executor(), ClientOptions()));
        EXPECT_FALSE(opened) << answer;
        EXPECT_LT(Clock::now() - begin, 10s) << answer;
    }
}

TEST_F(HostileWebSocket, a_head_without_an_end_fails_the_opening) {
    for (std::string const piece : {"X-A: b\r\n", "x", "HTTP/1.1 100 Continue\r\n\r\n"}) {
        Behaviour behaviour;
        behaviour.on_connection = [piece](Wire& wire) {
            wire.read_to("\r\n\r\n");
            std::string many = "HTTP/1.1 101 X\r\n";
            if (piece.starts_with("HTTP")) many.clear();
            while (many.size() < std::size_t{64} * 1024) many += piece;
            while (wire.write(many)) continue;
        };
        HostileServer hostile(Carrier::websocket, behaviour);
        MemoryWatch const memory;
        HttpClientOptions http;
        http.connect_timeout(1s);
        auto const begin = Clock::now();
        auto const opened = attempt(hostile.connect(context.get_executor(), ClientOptions(), http));
        EXPECT_FALSE(opened) << piece;
        EXPECT_LT(Clock::now() - begin, 10s) << piece;
        memory.expect_below(32 * mebibyte);
    }
}

}  // namespace
}  // namespace lanyard::hostile
