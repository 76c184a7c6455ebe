// WebSocketOptions: what either end may set of a WebSocket (RFC 6455), which carries one message of
// the protocol in each of its own. A server opens its side with McpHttpOptions::websocket(), a
// client with http_connector("ws://...").
#pragma once

#include <chrono>
#include <cstddef>

#include <lanyard/clock.hpp>

namespace lanyard {

class WebSocketOptions {
public:
    WebSocketOptions() = default;

    /// A longer message closes the connection with 1009.
    WebSocketOptions& max_message_bytes(std::size_t bytes) noexcept {
        max_message_bytes_ = bytes;
        return *this;
    }
    /// How long a message may take from its first byte to its last; one that takes longer closes
    /// the connection with 1009.
    WebSocketOptions& message_timeout(Duration timeout) noexcept {
        message_timeout_ = timeout;
        return *this;
    }
    /// How often the peer is pinged, and how long its pong may take before the connection is closed
    /// with 1011. An interval of zero: never.
    WebSocketOptions& ping(Duration interval, Duration timeout) noexcept {
        ping_interval_ = interval;
        pong_timeout_ = timeout;
        return *this;
    }
    /// Complete messages that may wait for whoever reads them: at 80 % of it nothing more is read
    /// from the peer, at 50 % it is again.
    WebSocketOptions& max_waiting_bytes(std::size_t bytes) noexcept {
        max_waiting_bytes_ = bytes;
        return *this;
    }
    /// How long the peer may leave everything unread that is sent to it.
    WebSocketOptions& write_timeout(Duration timeout) noexcept {
        write_timeout_ = timeout;
        return *this;
    }
    /// How long closing waits for the peer's part in it.
    WebSocketOptions& close_timeout(Duration timeout) noexcept {
        close_timeout_ = timeout;
        return *this;
    }
    /// Compresses messages (permessage-deflate, RFC 7692) where the peer can do that as well.
    WebSocketOptions& deflate(bool on) noexcept {
        deflate_ = on;
        return *this;
    }

    std::size_t max_message_bytes() const noexcept { return max_message_bytes_; }
    Duration message_timeout() const noexcept { return message_timeout_; }
    Duration ping_interval() const noexcept { return ping_interval_; }
    Duration pong_timeout() const noexcept { return pong_timeout_; }
    std::size_t max_waiting_bytes() const noexcept { return max_waiting_bytes_; }
    Duration write_timeout() const noexcept { return write_timeout_; }
    Duration close_timeout() const noexcept { return close_timeout_; }
    bool deflate() const noexcept { return deflate_; }

private:
    std::size_t max_message_bytes_ = std::size_t{16} * 1024 * 1024;
    Duration message_timeout_ = std::chrono::seconds(30);
    Duration ping_interval_ = std::chrono::seconds(30);
    Duration pong_timeout_ = std::chrono::seconds(10);
    std::size_t max_waiting_bytes_ = std::size_t{100} * 1024;
    Duration write_timeout_ = std::chrono::seconds(30);
    Duration close_timeout_ = std::chrono::seconds(2);
    bool deflate_ = false;
};

}  // namespace lanyard
