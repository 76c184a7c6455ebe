// How a client reaches servers by URL: Streamable HTTP, with the HTTP+SSE of 2024-11-05 as the
// fall-back (basic/transports "Streamable HTTP", "Backwards compatibility").
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/http/websocket.hpp>
#include <lanyard/time_source.hpp>
#include <lanyard/transport.hpp>

namespace lanyard {

/// What is set once for all requests to one server.
class HttpClientOptions {
public:
    HttpClientOptions() = default;

    /// A header to send along with every request; may be called again. Those that belong to the
    /// transport (Host, Content-Type, Mcp-...) are refused when the connection is opened.
    HttpClientOptions& header(std::string name, std::string value) {
        headers_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    /// Sent as "Authorization: Bearer ...".
    HttpClientOptions& bearer_token(std::string token) {
        bearer_token_ = std::move(token);
        return *this;
    }

    /// How long it may take to reach the server, TLS included.
    HttpClientOptions& connect_timeout(Duration wait) {
        connect_timeout_ = wait;
        return *this;
    }
    /// How many requests may wait for their answer to begin at the same time; further ones queue.
    /// Streams do not count.
    HttpClientOptions& max_connections(std::size_t count) {
        max_connections_ = count;
        return *this;
    }
    /// How many may queue; the next one fails with Error (busy).
    HttpClientOptions& max_queued(std::size_t count) {
        max_queued_ = count;
        return *this;
    }
    /// How long a connection is kept that nobody uses.
    HttpClientOptions& idle_timeout(Duration wait) {
        idle_timeout_ = wait;
        return *this;
    }
    HttpClientOptions& max_response_bytes(std::size_t bytes) {
        max_response_bytes_ = bytes;
        return *this;
    }
    HttpClientOptions& max_event_bytes(std::size_t bytes) {
        max_event_bytes_ = bytes;
        return *this;
    }
    HttpClientOptions& max_head_bytes(std::size_t bytes) {
        max_head_bytes_ = bytes;
        return *this;
    }
    /// How long to wait before a stream is opened again where the server does not say.
    HttpClientOptions& reconnect_wait(Duration wait) {
        reconnect_wait_ = wait;
        return *this;
    }
    /// How long closing waits for the server to end its session.
    HttpClientOptions& close_timeout(Duration wait) {
        close_timeout_ = wait;
        return *this;
    }
    /// Whether to open a stream for what the server sends by itself (in the revisions that have
    /// sessions). On unless switched off.
    HttpClientOptions& server_stream(bool on) {
        server_stream_ = on;
        return *this;
    }

    /// The proxy to use, "http://user:password@proxy:3128", in place of what the environment
    /// variables http_proxy, https_proxy, all_proxy and no_proxy say.
    HttpClientOptions& proxy(std::string url) {
        proxy_ = std::move(url);
        return *this;
    }
    /// Reaches the server directly, whatever the environment says.
    HttpClientOptions& no_proxy() {
        proxy_ = std::string();
        return *this;
    }

    /// Trusts the certificates in this PEM file only, instead of the system's.
    HttpClientOptions& ca_file(std::string path) {
        ca_file_ = std::move(path);
        return *this;
    }
    /// Shows the server a certificate (PEM files).
    HttpClientOptions& client_certificate(std::string certificate_file, std::string key_file) {
        certificate_file_ = std::move(certificate_file);
        key_file_ = std::move(key_file);
        return *this;
    }
    /// Does not check the server's certificate. For tests on this machine only: anybody in between
    /// can read and change everything.
    HttpClientOptions& insecure(bool on) {
        insecure_ = on;
        return *this;
    }

    /// For ws:// and wss:// URLs. Of the other options, what concerns pools, answers, events and
    /// sessions does not apply to them.
    HttpClientOptions& websocket(WebSocketOptions const& options) {
        websocket_ = options;
        return *this;
    }

    HttpClientOptions& time(TimeSource& source) {
        time_ = &source;
        return *this;
    }

    std::vector<std::pair<std::string, std::string>> const& headers() const noexcept {
        return headers_;
    }
    std::string const& bearer_token() const noexcept { return bearer_token_; }
    Duration connect_timeout() const noexcept { return connect_timeout_; }
    std::size_t max_connections() const noexcept { return max_connections_; }
    std::size_t max_queued() const noexcept { return max_queued_; }
    Duration idle_timeout() const noexcept { return idle_timeout_; }
    std::size_t max_response_bytes() const noexcept { return max_response_bytes_; }
    std::size_t max_event_bytes() const noexcept { return max_event_bytes_; }
    std::size_t max_head_bytes() const noexcept { return max_head_bytes_; }
    Duration reconnect_wait() const noexcept { return reconnect_wait_; }
    Duration close_timeout() const noexcept { return close_timeout_; }
    bool server_stream() const noexcept { return server_stream_; }
    /// Nothing: by the environment. Empty: none.
    std::optional<std::string> const& proxy() const noexcept { return proxy_; }
    std::string const& ca_file() const noexcept { return ca_file_; }
    std::string const& certificate_file() const noexcept { return certificate_file_; }
    std::string const& key_file() const noexcept { return key_file_; }
    bool insecure() const noexcept { return insecure_; }
    WebSocketOptions const& websocket_options() const noexcept { return websocket_; }
    TimeSource& time() const noexcept { return *time_; }

private:
    std::vector<std::pair<std::string, std::string>> headers_;
    std::string bearer_token_;
    Duration connect_timeout_ = std::chrono::seconds(5);
    std::size_t max_connections_ = 10;
    std::size_t max_queued_ = 1'000;
    Duration idle_timeout_ = std::chrono::seconds(60);
    std::size_t max_response_bytes_ = std::size_t{16} * 1024 * 1024;
    std::size_t max_event_bytes_ = std::size_t{16} * 1024 * 1024;
    std::size_t max_head_bytes_ = std::size_t{64} * 1024;
    Duration reconnect_wait_ = std::chrono::seconds(5);
    Duration close_timeout_ = std::chrono::seconds(2);
    bool server_stream_ = true;
    bool insecure_ = false;
    std::optional<std::string> proxy_;
    std::string ca_file_;
    std::string certificate_file_;
    std::string key_file_;
    WebSocketOptions websocket_;
    TimeSource* time_ = &real_time();
};

/// Reaches the server at an http:// or https:// URL, or by WebSocket. Opening does not send
/// anything: the first request does, and a server that cannot be reached fails it with Error
/// (unavailable).
///
/// Each request fails or succeeds by itself: a lost connection, a refusal by the server or an
/// answer beyond a limit ends one call, not the client. Calls share a pool of connections. Open()
/// throws Error (invalid_argument) where the URL or an option is wrong.
///
/// A ws:// or wss:// URL is reached by one WebSocket, at /mcp/ws unless the URL has a path: opening
/// connects, and throws Error (unavailable, unauthorized) where that fails.
std::unique_ptr<Connector> http_connector(std::string url, HttpClientOptions options = {});

}  // namespace lanyard
