// Connects a client by URL over Streamable HTTP. Falls back to the HTTP+SSE transport of protocol
// revision 2024-11-05 (MCP specification, basic/transports "Streamable HTTP", "Backwards
// compatibility").
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Options for all requests to one server.
class HttpClientOptions {
public:
    HttpClientOptions() = default;

    /// Adds a header to every request; may be called again. Default: none. Headers that belong to
    /// the transport (Host, Content-Type, Mcp-...) are refused when the connection is opened.
    HttpClientOptions& header(std::string name, std::string value) {
        headers_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    /// The token of "Authorization: Bearer ...". Default: none.
    HttpClientOptions& bearer_token(std::string token) {
        bearer_token_ = std::move(token);
        return *this;
    }

    /// How long connecting may take, including TLS. Default: 5 s.
    HttpClientOptions& connect_timeout(Duration timeout) {
        connect_timeout_ = timeout;
        return *this;
    }
    /// The maximum number of requests whose answer has not started yet; further requests are
    /// queued. Default: 10. A request whose answer is being streamed does not count.
    HttpClientOptions& max_connections(std::size_t count) {
        max_connections_ = count;
        return *this;
    }
    /// The maximum number of queued requests; further requests fail with Error (busy). Default:
    /// 1,000. The same number applies to the client's answers and notifications that wait until the
    /// server accepts them. While more than this number, or more than 1 MiB of them, are waiting,
    /// the client does not read the server's streams.
    HttpClientOptions& max_queued(std::size_t count) {
        max_queued_ = count;
        return *this;
    }
    /// The maximum number of bytes of the client's answers and notifications that wait until the
    /// server accepts them. Default: 64 MiB. If there are more, the connection fails. Other
    /// transports have ClientOptions::hard_unsent_bytes instead.
    HttpClientOptions& hard_unsent_bytes(std::size_t bytes) {
        hard_unsent_bytes_ = bytes;
        return *this;
    }
    /// How long an unused connection is kept. Default: 60 s. If the server announces a shorter time
    /// (Keep-Alive), that time is used.
    HttpClientOptions& idle_expiry(Duration expiry) {
        idle_expiry_ = expiry;
        return *this;
    }
    /// The maximum size of an answer; a call with a larger answer fails. Default: 16 MiB.
    HttpClientOptions& max_response_bytes(std::size_t bytes) {
        max_response_bytes_ = bytes;
        return *this;
    }
    /// The maximum size of one event of a stream. Default: 16 MiB.
    HttpClientOptions& max_event_bytes(std::size_t bytes) {
        max_event_bytes_ = bytes;
        return *this;
    }
    /// The maximum size of the status line and headers of an answer. Default: 64 KiB.
    HttpClientOptions& max_head_bytes(std::size_t bytes) {
        max_head_bytes_ = bytes;
        return *this;
    }
    /// How long the client waits before it reopens a stream. Default: 5 s. If the server has sent
    /// another time in the stream (`retry`), that time is used.
    HttpClientOptions& stream_retry_interval(Duration interval) {
        stream_retry_interval_ = interval;
        return *this;
    }
    /// The additional wait before the client reopens a stream that has delivered no event. Default:
    /// 1 s and 30 s, for the first and the longest additional wait. Each wait is twice as long as
    /// the one before, until an event arrives.
    HttpClientOptions& stream_backoff_interval(Duration first, Duration longest) {
        first_stream_backoff_ = first;
        longest_stream_backoff_ = longest;
        return *this;
    }
    /// The maximum number of times in a row that the stream of one request is reopened without
    /// delivering an event. Default: 10. If the limit is reached, the request fails. The stream for
    /// messages that the server sends on its own is reopened without a limit.
    HttpClientOptions& max_stream_retries(std::uint32_t retries) {
        max_stream_retries_ = retries;
        return *this;
    }
    /// If no byte of a request could be sent: the number of times that the client tries again, and
    /// the wait before the first retry. Default: 3 and 1 s. Each further wait is twice as long as
    /// the one before, up to 30 s, and varies by up to 20 % at random.
    HttpClientOptions& request_retries(std::uint32_t retries, Duration interval) {
        max_request_retries_ = retries;
        request_retry_interval_ = interval;
        return *this;
    }
    /// The number of times that a request is sent again if the server refuses it with 503 and
    /// Retry-After. Default: 3. If Retry-After is more than 30 s, the request fails at once.
    HttpClientOptions& max_refusal_retries(std::uint32_t retries) {
        max_refusal_retries_ = retries;
        return *this;
    }
    /// How long closing the client waits for the response to the request that ends the HTTP
    /// session. Default: 2 s.
    HttpClientOptions& close_timeout(Duration timeout) {
        close_timeout_ = timeout;
        return *this;
    }
    /// Whether the client opens a stream for messages that the server sends on its own. Default:
    /// true. Only protocol revisions with sessions have this stream.
    HttpClientOptions& server_stream(bool on) {
        server_stream_ = on;
        return *this;
    }

    /// The URL of the proxy, for example "http://user:password@proxy:3128". Default: taken from the
    /// environment variables http_proxy, https_proxy, all_proxy and no_proxy.
    HttpClientOptions& proxy(std::string url) {
        proxy_ = std::move(url);
        return *this;
    }
    /// Connects directly, without a proxy. Default: the environment variables for proxies are used.
    HttpClientOptions& no_proxy() {
        proxy_ = std::string();
        return *this;
    }

    /// A PEM file with certificates; the client trusts these and no others. Default: the
    /// certificates of the system are trusted.
    HttpClientOptions& ca_file(std::string path) {
        ca_file_ = std::move(path);
        return *this;
    }
    /// The client certificate and its key (PEM files). Default: none.
    HttpClientOptions& client_certificate(std::string certificate_file, std::string key_file) {
        certificate_file_ = std::move(certificate_file);
        key_file_ = std::move(key_file);
        return *this;
    }
    /// Whether the server's certificate is accepted without being verified. Default: false. For
    /// local tests only: anyone on the network path can read and change all data.
    HttpClientOptions& insecure(bool on) {
        insecure_ = on;
        return *this;
    }

    /// Options for ws:// and wss:// URLs. Default: WebSocketOptions(). Of the other options, only
    /// these have an effect for such URLs: header, bearer_token, connect_timeout, proxy, no_proxy,
    /// ca_file, client_certificate, insecure and time.
    HttpClientOptions& websocket(WebSocketOptions const& options) {
        websocket_ = options;
        return *this;
    }

    /// The clock and timers to use. Default: real_time(). Must outlive the connector.
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
    std::size_t hard_unsent_bytes() const noexcept { return hard_unsent_bytes_; }
    Duration idle_expiry() const noexcept { return idle_expiry_; }
    std::size_t max_response_bytes() const noexcept { return max_response_bytes_; }
    std::size_t max_event_bytes() const noexcept { return max_event_bytes_; }
    std::size_t max_head_bytes() const noexcept { return max_head_bytes_; }
    Duration stream_retry_interval() const noexcept { return stream_retry_interval_; }
    Duration first_stream_backoff() const noexcept { return first_stream_backoff_; }
    Duration longest_stream_backoff() const noexcept { return longest_stream_backoff_; }
    std::uint32_t max_stream_retries() const noexcept { return max_stream_retries_; }
    std::uint32_t max_request_retries() const noexcept { return max_request_retries_; }
    Duration request_retry_interval() const noexcept { return request_retry_interval_; }
    std::uint32_t max_refusal_retries() const noexcept { return max_refusal_retries_; }
    Duration close_timeout() const noexcept { return close_timeout_; }
    bool server_stream() const noexcept { return server_stream_; }
    /// nullopt: use the proxy of the environment variables. An empty string: use no proxy.
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
    std::size_t hard_unsent_bytes_ = std::size_t{64} * 1024 * 1024;
    Duration idle_expiry_ = std::chrono::seconds(60);
    std::size_t max_response_bytes_ = std::size_t{16} * 1024 * 1024;
    std::size_t max_event_bytes_ = std::size_t{16} * 1024 * 1024;
    std::size_t max_head_bytes_ = std::size_t{64} * 1024;
    Duration stream_retry_interval_ = std::chrono::seconds(5);
    Duration first_stream_backoff_ = std::chrono::seconds(1);
    Duration longest_stream_backoff_ = std::chrono::seconds(30);
    std::uint32_t max_stream_retries_ = 10;
    std::uint32_t max_request_retries_ = 3;
    Duration request_retry_interval_ = std::chrono::seconds(1);
    std::uint32_t max_refusal_retries_ = 3;
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

/// Returns the connector for the server at an http://, https://, ws:// or wss:// URL. Its open()
/// throws Error (invalid_argument) if the URL or an option is invalid.
///
/// For an http:// or https:// URL, open() sends nothing; if the server cannot be reached, the first
/// request fails with Error (unavailable). Calls share a pool of connections. Each request fails or
/// succeeds on its own: a lost connection, a refusal by the server or an answer beyond a limit ends
/// one call, not the client.
///
/// For a ws:// or wss:// URL, open() connects, and throws Error (unavailable, unauthorized) if
/// connecting fails. The connection is a single WebSocket, at /mcp/ws unless the URL has a path.
std::unique_ptr<Connector> http_connector(std::string url, HttpClientOptions options = {});

}  // namespace lanyard
