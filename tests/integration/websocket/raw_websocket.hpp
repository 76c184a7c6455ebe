// RawWebSocket: a client that writes single WebSocket frames.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "integration/http/raw_client.hpp"
#include "support/websocket_frames.hpp"

namespace lanyard::test {

inline std::string upgrade_request(std::string_view more = {}, std::string_view host = "localhost",
                                   std::string_view path = "/mcp/ws") {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(host) +
           "\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
           std::string(more) + "\r\n";
}

class RawWebSocket {
public:
    explicit RawWebSocket(std::uint16_t port, std::string_view more = {}, int receive_buffer = 0)
        : client(port, false, receive_buffer) {
        client.send(upgrade_request(more));
        head = client.read_until("\r\n\r\n");
    }

    bool opened() const { return head.starts_with("HTTP/1.1 101 "); }
    void send(std::string_view bytes) { client.send(bytes); }
    void send_text(std::string text) { client.send(text_frame(std::move(text))); }

    /// Returns the next frame; nothing at the end.
    std::optional<ReadFrame> read() {
        for (;;) {
            if (auto read = take_frame(bytes_)) return read;
            auto const more = client.read_some();
            if (more.empty()) return std::nullopt;
            bytes_ += more;
        }
    }
    /// Returns the next text; throws if the next frame is of another kind.
    std::string read_text() {
        auto const next = read();
        if (!next || next->opcode != opcode::text) throw std::runtime_error("no text");
        return next->payload;
    }
    /// Reads to the end; returns the code of the close frame, or 0 if there was none.
    unsigned read_close() {
        unsigned code = 0;
        while (auto const next = read()) {
            if (next->opcode == opcode::close) code = next->close_code();
        }
        return code;
    }

    RawClient client;
    std::string head;

private:
    std::string bytes_;
};

}  // namespace lanyard::test
