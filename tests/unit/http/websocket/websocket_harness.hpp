// The server's side of a WebSocket for tests: frames in, frames and messages out, fake time.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "http/websocket/websocket_connection.hpp"
#include "support/websocket_frames.hpp"

namespace lanyard::test {

class ServedWebSocket {
public:
    explicit ServedWebSocket(WebSocketOptions const& given = {}, std::string_view extensions = {},
                             std::size_t max_bytes_total = SIZE_MAX)
        : options(given), budget(max_bytes_total) {
        connection.accept(
            {.key = "dGhlIHNhbXBsZSBub25jZQ==", .extensions = extensions, .protocol = "mcp"}, now);
        handshake = take_output();
    }

    void receive(std::string_view bytes) { connection.receive(bytes, now); }
    /// Receives the bytes in pieces of this size.
    void receive(std::string_view bytes, std::size_t piece) {
        for (std::size_t at = 0; at < bytes.size(); at += piece) receive(bytes.substr(at, piece));
    }
    void wait(Duration time) {
        now += time;
        connection.tick(now);
    }

    std::string take_output() {
        std::string const bytes(connection.output());
        connection.sent(bytes.size(), now);
        return bytes;
    }
    /// The frames sent since the last call.
    std::vector<ReadFrame> frames() {
        unread += take_output();
        return take_frames(unread);
    }
    /// The code of the only frame, which must be a close frame; otherwise 0.
    unsigned closed_with() {
        auto const sent = frames();
        return sent.size() == 1 && sent[0].opcode == opcode::close ? sent[0].close_code() : 0;
    }
    std::vector<std::string> messages() {
        std::vector<std::string> texts;
        for (auto const& frame : connection.take(now)) {
            texts.emplace_back((frame.kind == rpc::Frame::Kind::broken ? "broken: " : "") +
                               std::string(frame.text));
        }
        return texts;
    }

    boost::asio::io_context context;
    WebSocketOptions options;
    http::WebSocketCounters counters;
    ByteBudget budget;
    std::array<char, 4096> scratch{};
    TimePoint now = TimePoint{} + std::chrono::hours(1);
    http::WebSocketConnection connection{context, options, counters, budget, scratch, now};
    std::string handshake;
    std::string unread;
};

}  // namespace lanyard::test
