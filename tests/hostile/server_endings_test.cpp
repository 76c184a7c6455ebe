// Servers that are endlessly slow, and servers that disconnect at any moment.
#include <mutex>

#include "hostile/hostile_case.hpp"

namespace lanyard::hostile {
namespace {

class Drips : public EachCarrier {};

// With a byte every 20 ms an answer would take minutes: the call ends at its timeout.
TEST_P(Drips, an_answer_byte_by_byte_does_not_outlast_the_call) {
    Behaviour behaviour;
    behaviour.on_message = [](Heard const& heard, Out const& out) {
        if (answer_opening(heard, out)) return;
        auto const answer = out.framed(
            result_of(heard.id, R"({"tools":[],"x":")" + std::string(100'000, 'x') + R"("})"));
        for (char const c : answer) {
            if (!out.raw(std::string_view(&c, 1))) return;
            std::this_thread::sleep_for(20ms);
        }
    };
    HostileServer server(GetParam(), behaviour);
    connect(server);
    auto const begin = Clock::now();
    auto const listed = attempt(client.list_tools(CallOptions().timeout(500ms)));
    ASSERT_FALSE(listed);
    EXPECT_TRUE(listed.error().is(Errc::timeout)) << listed.error().what();
    EXPECT_LT(Clock::now() - begin, 10s);
    expect_stop();
}

TEST_P(Drips, a_message_without_an_end_takes_no_more_memory_than_the_limit) {
    Behaviour behaviour;
    behaviour.on_message = [](Heard const& heard, Out const& out) {
        if (answer_opening(heard, out)) return;
        // A WebSocket frame announces its length, which is tested in server_websocket_test; here
        // the message consists of many fragments.
        bool const is_websocket = dynamic_cast<Frames const*>(&out) != nullptr;
        std::string const piece(64 * 1024, 'x');
        auto first = is_websocket ? test::frame({.opcode = test::opcode::text,
                                                 .payload = piece,
                                                 .fin = false,
                                                 .masked = false})
                                  : out.framed("x");
        // Without the end of the line or event.
        if (!is_websocket) {
            while (first.ends_with('\n')) first.pop_back();
        }
        auto const more = is_websocket ? test::frame({.opcode = test::opcode::continuation,
                                                      .payload = piece,
                                                      .fin = false,
                                                      .masked = false})
                                       : piece;
        if (!out.raw(first)) return;
        while (out.raw(more)) continue;
    };
    HostileServer server(GetParam(), behaviour);
    connect(server);
    MemoryWatch const memory;
    auto const begin = Clock::now();
    auto const limit = is_long() ? 20s : 1s;
    auto const listed = attempt(client.list_tools(CallOptions().timeout(limit)));
    EXPECT_FALSE(listed);
    EXPECT_LT(Clock::now() - begin, limit + 10s);
    expect_stop();
    // A message may have 16 MiB; growing buffers hold it twice for a moment.
    memory.expect_below(96 * mebibyte);
}

LANYARD_EACH_CARRIER(Drips);

class Endings : public EachCarrier {};

// For any bytes that the server sends before it disconnects, the call ends with an answer or an
// error.
TEST_P(Endings, a_server_may_disconnect_after_any_byte) {
    std::size_t const step = is_long() ? 1 : 41;
    bool whole = false;
    for (std::size_t bytes = 0; !whole && bytes < 4'000; bytes += step) {
        Behaviour behaviour;
        behaviour.on_connection = [bytes, carrier = GetParam()](Wire& wire) {
            // The bytes that all connections of this process may still send.
            static std::mutex mutex;
            static std::size_t left = bytes;
            auto const write_to = [&](Wire& to, std::string_view text) {
                std::lock_guard const lock(mutex);
                auto const size = std::min(left, text.size());
                left -= size;
                return to.write(text.substr(0, size)) && size == text.size();
            };
            auto const write = [&](std::string_view text) { return write_to(wire, text); };
            auto const answer = [&](std::string const& message, Out const& framing) {
                Heard const heard(message);
                if (!heard.is_request()) return true;
                std::string reply;
                if (heard.method == "server/discover") {
                    reply = R"({"jsonrpc":"2.0","id":)" + heard.id +
                            R"(,"error":{"code":-32601,"message":"no"}})";
                } else if (heard.method == "initialize") {
                    reply = result_of(heard.id,
                                      R"({"protocolVersion":"2025-11-25","capabilities":)"
                                      R"({"tools":{}},"serverInfo":{"name":"n","version":"1"}})");
                } else {
                    reply = result_of(heard.id, R"({"tools":[]})");
                }
                return write_to(framing.wire(), framing.framed(reply));
            };
            if (carrier == Carrier::websocket) {
                if (!HostileServer::open_websocket(wire)) return;
                Frames const framing(wire);
                for (;;) {
                    auto const frame = test::take_frame(wire.buffer());
                    if (!frame && !wire.fill()) return;
                    if (frame && !answer(frame->payload, framing)) return;
                }
            }
            if (carrier == Carrier::http_with_sse) {
                static std::atomic<Wire*> stream = nullptr;
                while (auto const request = HostileServer::read_request(wire)) {
                    auto const& [head, body] = *request;
                    if (head.starts_with("GET")) {
                        stream = &wire;
                        if (!write(HostileServer::endpoint_stream)) wire.shut_down();
                        for (;;) ::pause();  // other threads write to this connection
                    }
                    bool const is_message = head.starts_with("POST /messages");
                    if (!write(is_message ? HostileServer::accepted : HostileServer::not_allowed)) {
                        return;
                    }
                    if (is_message && !answer(body, Events(*stream))) stream.load()->shut_down();
                }
                return;
            }
            if (carrier != Carrier::http) {
                Lines const framing(wire);
                while (auto const line = wire.read_to("\n")) {
                    if (!answer(*line, framing)) return;
                }
                return;
            }
            Events const framing(wire);
            while (auto const request = HostileServer::read_request(wire)) {
                if (!request->first.starts_with("POST")) {
                    // The client asks for the server's own stream.
                    if (!write(HostileServer::not_allowed)) return;
                    continue;
                }
                bool const is_request = Heard(request->second).is_request();
                bool const sent =
                    is_request ? write("HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\n")
                               : write("HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n");
                if (!sent || !answer(request->second, framing) || is_request) return;
            }
        };
        HostileServer server(GetParam(), behaviour);
        ClientOptions options;
        options.initialization_timeout(2s).probe_timeout(1s);
        options.reconnect(ReconnectOptions::off());
        auto opened = attempt(server.connect(context.get_executor(), options));
        if (!opened) continue;
        client = *std::move(opened);
        auto const listed = attempt(client.list_tools(CallOptions().timeout(2s)));
        whole = listed.has_value();
        expect_stop();
    }
    EXPECT_TRUE(whole) << "nothing was left out";
}

LANYARD_EACH_CARRIER(Endings);

}  // namespace
}  // namespace lanyard::hostile
