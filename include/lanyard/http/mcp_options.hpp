// McpHttpOptions: how the MCP protocol is served over HTTP (sessions, streams, the form of
// answers), independent of the socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <lanyard/clock.hpp>
#include <lanyard/http/websocket.hpp>

namespace lanyard {

/// Whether clients with protocol revisions up to 2025-11-25 get sessions. Later revisions have no
/// sessions.
enum class Sessions : std::uint8_t {
    /// No sessions: every request is independent, and the server cannot send requests to the
    /// client.
    stateless,
    /// One session for each client. A request of these clients that names no session is refused,
    /// except `initialize`, which opens a session.
    stateful,
    /// One session for each client that starts with the handshake. Requests of other clients need
    /// no session.
    hybrid,
};

/// The form of the answers to requests.
enum class HttpAnswers : std::uint8_t {
    /// JSON if the answer is available at once, otherwise an event stream.
    automatic,
    /// Always JSON: the server sends no progress, no log messages and no requests to the client.
    json,
    /// Always an event stream.
    stream,
};

/// Options of MCP over HTTP, part of HttpServerOptions.
class McpHttpOptions {
public:
    McpHttpOptions() = default;

    /// How the server treats sessions. Default: stateful, which gives each client one.
    McpHttpOptions& sessions(Sessions mode) noexcept {
        sessions_ = mode;
        return *this;
    }
    /// The form of answers. Default: automatic.
    McpHttpOptions& answers(HttpAnswers form) noexcept {
        answers_ = form;
        return *this;
    }
    /// The maximum number of sessions. Default: 10,000. When it is reached, a new session replaces
    /// an idle session (see evict_expiry). If no idle session can be replaced, the new client is
    /// refused with 503 and Retry-After.
    McpHttpOptions& max_sessions(std::size_t count) noexcept {
        max_sessions_ = count;
        return *this;
    }
    /// The maximum number of sessions of one authenticated client. Default: 1,000.
    McpHttpOptions& max_sessions_per_principal(std::size_t count) noexcept {
        max_sessions_per_principal_ = count;
        return *this;
    }
    /// The maximum number of open streams of a session, not counting streams that carry the answer
    /// to a request. Default: 8.
    McpHttpOptions& max_streams_per_session(std::size_t count) noexcept {
        max_streams_per_session_ = count;
        return *this;
    }
    /// How long a session that receives no request is kept. Default: 10 min. A session that has
    /// open streams or pending requests is always kept.
    McpHttpOptions& session_expiry(Duration expiry) noexcept {
        session_expiry_ = expiry;
        return *this;
    }
    /// How long a session may receive no request before it is suspended. Default: 30 s. The state
    /// of a suspended session is packed into a fraction of the memory and restored by the next
    /// request. A session that has open streams or pending requests is not suspended.
    McpHttpOptions& suspend_after(Duration expiry) noexcept {
        suspend_after_ = expiry;
        return *this;
    }
    /// How long an idle session is kept if a new session needs its place, because max_sessions or
    /// max_sessions_per_principal is reached. Default: 30 s. A session that has received no request
    /// for this time may be ended to make room for a new session. A session that has open streams
    /// or pending requests is always kept. A session that was never used is kept for a third of
    /// this time.
    McpHttpOptions& evict_expiry(Duration expiry) noexcept {
        evict_expiry_ = expiry;
        return *this;
    }
    /// How long clients should wait before they reopen a broken or closed stream; sent to them as
    /// `retry`. Default: 1 s.
    McpHttpOptions& stream_retry_interval(std::chrono::milliseconds interval) noexcept {
        stream_retry_interval_ = interval;
        return *this;
    }
    /// How long clients of protocol revision 2024-11-05 (see sse()) should wait before they reopen
    /// their stream. Default: 5 s.
    McpHttpOptions& sse_retry_interval(std::chrono::milliseconds interval) noexcept {
        sse_retry_interval_ = interval;
        return *this;
    }
    /// The maximum number of sent events that a session keeps, to send them again to a client that
    /// reconnects. Default: 1,000.
    McpHttpOptions& max_kept_events(std::size_t count) noexcept {
        max_kept_events_ = count;
        return *this;
    }
    /// The maximum size in bytes of the sent events that one session keeps, and the maximum for all
    /// sessions together. Default: 4 MiB and 64 MiB. If all sessions together exceed the maximum,
    /// events of the client with the most bytes are removed, oldest first.
    McpHttpOptions& max_kept_bytes(std::size_t of_session, std::size_t of_all) noexcept {
        max_kept_bytes_ = of_session;
        max_kept_total_ = of_all;
        return *this;
    }
    /// How long a session keeps an event that was sent. Default: 5 min.
    McpHttpOptions& event_expiry(Duration expiry) noexcept {
        event_expiry_ = expiry;
        return *this;
    }
    /// The path for POSTed messages and for the streams of sessions. Default: "/mcp".
    McpHttpOptions& path(std::string path) {
        path_ = std::move(path);
        return *this;
    }
    /// Also serves clients of protocol revision 2024-11-05: their stream at the first path, their
    /// messages at the second. Default: not served.
    McpHttpOptions& sse(std::string stream_path = "/sse", std::string message_path = "/messages") {
        sse_path_ = std::move(stream_path);
        message_path_ = std::move(message_path);
        return *this;
    }
    /// Also serves WebSockets at this path, with the same checks of Host, Origin and credentials.
    /// Default: not served.
    McpHttpOptions& websocket(WebSocketOptions options = {}, std::string path = "/mcp/ws") {
        websocket_ = options;
        websocket_path_ = std::move(path);
        return *this;
    }
    /// The maximum number of WebSockets; further ones are refused with 503. Default: 1,000.
    McpHttpOptions& max_websockets(std::size_t count) noexcept {
        max_websockets_ = count;
        return *this;
    }
    /// The maximum memory that the unfinished messages and the messages waiting to be processed may
    /// use, for all WebSockets together. Default: 256 MiB. If a message would exceed this limit,
    /// its WebSocket is closed with code 1013. Messages of up to 64 KiB do not count and are always
    /// accepted.
    McpHttpOptions& max_websocket_bytes_total(std::size_t bytes) noexcept {
        max_websocket_bytes_total_ = bytes;
        return *this;
    }

    Sessions sessions() const noexcept { return sessions_; }
    HttpAnswers answers() const noexcept { return answers_; }
    std::size_t max_sessions() const noexcept { return max_sessions_; }
    std::size_t max_sessions_per_principal() const noexcept { return max_sessions_per_principal_; }
    std::size_t max_streams_per_session() const noexcept { return max_streams_per_session_; }
    Duration session_expiry() const noexcept { return session_expiry_; }
    Duration suspend_after() const noexcept { return suspend_after_; }
    Duration evict_expiry() const noexcept { return evict_expiry_; }
    std::chrono::milliseconds stream_retry_interval() const noexcept {
        return stream_retry_interval_;
    }
    std::chrono::milliseconds sse_retry_interval() const noexcept { return sse_retry_interval_; }
    std::size_t max_kept_events() const noexcept { return max_kept_events_; }
    std::size_t max_kept_bytes() const noexcept { return max_kept_bytes_; }
    std::size_t max_kept_total() const noexcept { return max_kept_total_; }
    Duration event_expiry() const noexcept { return event_expiry_; }
    std::string const& path() const noexcept { return path_; }
    /// The path is empty if clients of protocol revision 2024-11-05 are not served.
    std::string const& sse_path() const noexcept { return sse_path_; }
    std::string const& message_path() const noexcept { return message_path_; }
    WebSocketOptions const& websocket_options() const noexcept { return websocket_; }
    /// The path is empty if WebSockets are not served.
    std::string const& websocket_path() const noexcept { return websocket_path_; }
    std::size_t max_websockets() const noexcept { return max_websockets_; }
    std::size_t max_websocket_bytes_total() const noexcept { return max_websocket_bytes_total_; }

private:
    Sessions sessions_ = Sessions::stateful;
    HttpAnswers answers_ = HttpAnswers::automatic;
    std::size_t max_sessions_ = 10'000;
    std::size_t max_sessions_per_principal_ = 1'000;
    std::size_t max_streams_per_session_ = 8;
    Duration session_expiry_ = std::chrono::minutes(10);
    Duration suspend_after_ = std::chrono::seconds(30);
    Duration evict_expiry_ = std::chrono::seconds(30);
    std::chrono::milliseconds stream_retry_interval_{1000};
    std::chrono::milliseconds sse_retry_interval_{5000};
    std::size_t max_kept_events_ = 1'000;
    std::size_t max_kept_bytes_ = std::size_t{4} * 1024 * 1024;
    std::size_t max_kept_total_ = std::size_t{64} * 1024 * 1024;
    Duration event_expiry_ = std::chrono::minutes(5);
    std::string path_ = "/mcp";
    std::string sse_path_;
    std::string message_path_;
    WebSocketOptions websocket_;
    std::string websocket_path_;
    std::size_t max_websockets_ = 1'000;
    std::size_t max_websocket_bytes_total_ = std::size_t{256} * 1024 * 1024;
};

}  // namespace lanyard
