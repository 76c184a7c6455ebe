// McpHttpOptions: what an HTTP server lets clients do with the protocol itself (sessions, streams,
// the form of answers), whatever socket they came by.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <lanyard/clock.hpp>
#include <lanyard/http/websocket.hpp>

namespace lanyard {

/// Whether clients of revisions up to 2025-11-25 get sessions. Later revisions have none.
enum class Sessions : std::uint8_t {
    stateless,  ///< none: every request stands alone, and the server cannot ask the client anything
    stateful,   ///< one for each client; a request without one is refused
    hybrid,     ///< one for each client that opens with the handshake; a request without one stands
                ///< alone
};

/// How requests are answered.
enum class HttpAnswers : std::uint8_t {
    automatic,  ///< as JSON where the answer is there at once, as an event stream otherwise
    json,       ///< always as JSON: no progress, no log messages, no questions to the client
    stream,     ///< always as an event stream
};

class McpHttpOptions {
public:
    McpHttpOptions() = default;

    McpHttpOptions& sessions(Sessions mode) noexcept {
        sessions_ = mode;
        return *this;
    }
    McpHttpOptions& answers(HttpAnswers form) noexcept {
        answers_ = form;
        return *this;
    }
    /// Sessions there may be at a time. Clients beyond take the place of one that is not in use
    /// (evict_after), or are told to come back later.
    McpHttpOptions& max_sessions(std::size_t count) noexcept {
        max_sessions_ = count;
        return *this;
    }
    /// Sessions of one authenticated client.
    McpHttpOptions& max_sessions_per_principal(std::size_t count) noexcept {
        max_sessions_per_principal_ = count;
        return *this;
    }
    /// Streams a session may have open beside those that answer requests.
    McpHttpOptions& max_streams_per_session(std::size_t count) noexcept {
        max_streams_per_session_ = count;
        return *this;
    }
    /// A session that nothing is heard of for so long, and that has nothing open, ends.
    McpHttpOptions& idle_expiry(Duration patience) noexcept {
        idle_expiry_ = patience;
        return *this;
    }
    /// A session that nothing is heard of for so long, and that has nothing open, rests: it takes a
    /// fraction of the memory, and goes on as if nothing had been with what comes next.
    McpHttpOptions& rest_after(Duration silence) noexcept {
        rest_after_ = silence;
        return *this;
    }
    /// While there are as many sessions as there may be, one that nothing is heard of for so long,
    /// and that has nothing open, ends to make room for another. One that was opened and never used
    /// ends after a third of that.
    McpHttpOptions& evict_after(Duration silence) noexcept {
        evict_after_ = silence;
        return *this;
    }
    /// How long a client waits before it comes back for a stream that broke or was closed.
    McpHttpOptions& retry(std::chrono::milliseconds wait) noexcept {
        retry_ = wait;
        return *this;
    }
    /// Events kept for clients that lost their connection: of one session, of all of them, and how
    /// long. If all hold too much, the client that holds most loses events.
    McpHttpOptions& max_kept_events(std::size_t count) noexcept {
        max_kept_events_ = count;
        return *this;
    }
    McpHttpOptions& max_kept_bytes(std::size_t of_session, std::size_t of_all) noexcept {
        max_kept_bytes_ = of_session;
        max_kept_total_ = of_all;
        return *this;
    }
    McpHttpOptions& event_expiry(Duration age) noexcept {
        event_expiry_ = age;
        return *this;
    }
    /// Where messages are POSTed, and the streams of sessions are opened.
    McpHttpOptions& path(std::string path) {
        path_ = std::move(path);
        return *this;
    }
    /// Also serves clients of 2024-11-05: a stream at one path, messages at the other.
    McpHttpOptions& sse(std::string stream_path = "/sse", std::string message_path = "/messages") {
        sse_path_ = std::move(stream_path);
        message_path_ = std::move(message_path);
        return *this;
    }
    /// Also serves WebSockets at this path, behind the same checks of Host, Origin and credentials.
    McpHttpOptions& websocket(WebSocketOptions options = {}, std::string path = "/mcp/ws") {
        websocket_ = options;
        websocket_path_ = std::move(path);
        return *this;
    }
    /// WebSockets there may be at a time; those beyond are refused with 503.
    McpHttpOptions& max_websockets(std::size_t count) noexcept {
        max_websockets_ = count;
        return *this;
    }

    Sessions sessions() const noexcept { return sessions_; }
    HttpAnswers answers() const noexcept { return answers_; }
    std::size_t max_sessions() const noexcept { return max_sessions_; }
    std::size_t max_sessions_per_principal() const noexcept { return max_sessions_per_principal_; }
    std::size_t max_streams_per_session() const noexcept { return max_streams_per_session_; }
    Duration idle_expiry() const noexcept { return idle_expiry_; }
    Duration rest_after() const noexcept { return rest_after_; }
    Duration evict_after() const noexcept { return evict_after_; }
    std::chrono::milliseconds retry() const noexcept { return retry_; }
    std::size_t max_kept_events() const noexcept { return max_kept_events_; }
    std::size_t max_kept_bytes() const noexcept { return max_kept_bytes_; }
    std::size_t max_kept_total() const noexcept { return max_kept_total_; }
    Duration event_expiry() const noexcept { return event_expiry_; }
    std::string const& path() const noexcept { return path_; }
    /// Empty where clients of 2024-11-05 are not served.
    std::string const& sse_path() const noexcept { return sse_path_; }
    std::string const& message_path() const noexcept { return message_path_; }
    WebSocketOptions const& websocket_options() const noexcept { return websocket_; }
    /// Empty where WebSockets are not served.
    std::string const& websocket_path() const noexcept { return websocket_path_; }
    std::size_t max_websockets() const noexcept { return max_websockets_; }

private:
    Sessions sessions_ = Sessions::stateful;
    HttpAnswers answers_ = HttpAnswers::automatic;
    std::size_t max_sessions_ = 10'000;
    std::size_t max_sessions_per_principal_ = 1'000;
    std::size_t max_streams_per_session_ = 8;
    Duration idle_expiry_ = std::chrono::minutes(10);
    Duration rest_after_ = std::chrono::seconds(30);
    Duration evict_after_ = std::chrono::seconds(30);
    std::chrono::milliseconds retry_{1000};
    std::size_t max_kept_events_ = 1000;
    std::size_t max_kept_bytes_ = std::size_t{4} * 1024 * 1024;
    std::size_t max_kept_total_ = std::size_t{64} * 1024 * 1024;
    Duration event_expiry_ = std::chrono::minutes(5);
    std::string path_ = "/mcp";
    std::string sse_path_;
    std::string message_path_;
    WebSocketOptions websocket_;
    std::string websocket_path_;
    std::size_t max_websockets_ = 1'000;
};

}  // namespace lanyard
