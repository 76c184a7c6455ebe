// WebSocketOptions: options of WebSockets (RFC 6455), for servers and clients. Each WebSocket
// message carries one protocol message. A server enables WebSockets with
// McpHttpOptions::websocket(), a client connects with http_connector("ws://...").
#pragma once

#include <chrono>
#include <cstddef>

#include <lanyard/clock.hpp>

namespace lanyard {

/// Options of a WebSocket, for servers and clients.
class WebSocketOptions {
public:
    WebSocketOptions() = default;

    /// The maximum size of a WebSocket message; a larger message closes the connection with code
    /// 1009. Default: 16 MiB.
    WebSocketOptions& max_message_bytes(std::size_t bytes) noexcept {
        max_message_bytes_ = bytes;
        return *this;
    }
    /// How long a message may take from its first byte to its last; a slower message closes the
    /// connection with code 1009. Default: 30 s.
    WebSocketOptions& message_timeout(Duration timeout) noexcept {
        message_timeout_ = timeout;
        return *this;
    }
    /// How often a WebSocket ping is sent to the peer, and how long the pong may take. Default: 30
    /// s and 10 s. If the pong is late, the connection is closed with code 1011. An interval of
    /// zero: no pings.
    WebSocketOptions& ping(Duration interval, Duration timeout) noexcept {
        ping_interval_ = interval;
        ping_timeout_ = timeout;
        return *this;
    }
    /// The maximum total size in bytes of complete messages that wait to be processed. Default: 100
    /// KiB. Reading from the peer stops at 80 % of this size and resumes when the waiting messages
    /// have been passed on for processing.
    WebSocketOptions& max_waiting_bytes(std::size_t bytes) noexcept {
        max_waiting_bytes_ = bytes;
        return *this;
    }
    /// How long a peer may read nothing while WebSocket data is waiting to be sent. Default: 30 s.
    /// After this time, the peer is disconnected.
    WebSocketOptions& write_timeout(Duration timeout) noexcept {
        write_timeout_ = timeout;
        return *this;
    }
    /// How long closing waits for the peer's close frame. Default: 2 s.
    WebSocketOptions& close_timeout(Duration timeout) noexcept {
        close_timeout_ = timeout;
        return *this;
    }
    /// Whether messages are compressed (permessage-deflate, RFC 7692) if the peer supports it.
    /// Default: false.
    WebSocketOptions& deflate(bool on) noexcept {
        deflate_ = on;
        return *this;
    }

    std::size_t max_message_bytes() const noexcept { return max_message_bytes_; }
    Duration message_timeout() const noexcept { return message_timeout_; }
    Duration ping_interval() const noexcept { return ping_interval_; }
    Duration ping_timeout() const noexcept { return ping_timeout_; }
    std::size_t max_waiting_bytes() const noexcept { return max_waiting_bytes_; }
    Duration write_timeout() const noexcept { return write_timeout_; }
    Duration close_timeout() const noexcept { return close_timeout_; }
    bool deflate() const noexcept { return deflate_; }

private:
    std::size_t max_message_bytes_ = std::size_t{16} * 1024 * 1024;
    Duration message_timeout_ = std::chrono::seconds(30);
    Duration ping_interval_ = std::chrono::seconds(30);
    Duration ping_timeout_ = std::chrono::seconds(10);
    std::size_t max_waiting_bytes_ = std::size_t{100} * 1024;
    Duration write_timeout_ = std::chrono::seconds(30);
    Duration close_timeout_ = std::chrono::seconds(2);
    bool deflate_ = false;
};

}  // namespace lanyard
