// HttpServerOptions: the options of an HTTP server; all have defaults.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/auth/verifier.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/http/mcp_options.hpp>
#include <lanyard/time_source.hpp>
#include <lanyard/transport/tls.hpp>

namespace lanyard {

/// Options of an HTTP server.
class HttpServerOptions {
public:
    HttpServerOptions() = default;

    /// Adds a host name that clients may use: "api.example" with any port, "api.example:8443" with
    /// port 8443 only, "*" for any name. Default: none. A server on a loopback address also allows
    /// the loopback names. A server on any other address needs at least one call of this function.
    HttpServerOptions& allow_host(std::string host) {
        allowed_hosts_.push_back(std::move(host));
        return *this;
    }
    /// Adds an origin whose web pages may call the server: "https://app.example", or "*". Default:
    /// none.
    HttpServerOptions& allow_origin(std::string origin) {
        allowed_origins_.push_back(std::move(origin));
        return *this;
    }
    /// Identifies the callers of the server. Default: none, so everyone may call. If there are
    /// several threads, the verifier is used on all of them.
    HttpServerOptions& verifier(std::shared_ptr<Verifier> verifier) {
        verifier_ = std::move(verifier);
        return *this;
    }
    /// The certificate for https. Default: none.
    HttpServerOptions& tls(TlsOptions options) {
        tls_ = std::move(options);
        return *this;
    }
    /// The options of MCP itself, which do not depend on the HTTP connection: sessions, streams,
    /// the form of answers and the paths. Default: McpHttpOptions(). All other options of this
    /// class concern HTTP connections and requests.
    HttpServerOptions& mcp(McpHttpOptions options) {
        mcp_ = std::move(options);
        return *this;
    }

    /// The maximum size of a request's body. Default: 4 MiB.
    HttpServerOptions& max_body_bytes(std::uint64_t bytes) noexcept {
        max_body_bytes_ = bytes;
        return *this;
    }
    /// The maximum total size of the bodies of all requests that are being received or served.
    /// Default: 256 MiB. A request whose body does not fit is refused with 503; a body of up to 8
    /// KiB always fits.
    HttpServerOptions& max_body_bytes_total(std::size_t bytes) noexcept {
        max_body_bytes_total_ = bytes;
        return *this;
    }
    /// The maximum size of a request's head (request line and headers). Default: 16 KiB.
    HttpServerOptions& max_head_bytes(std::size_t bytes) noexcept {
        max_head_bytes_ = bytes;
        return *this;
    }

    /// How long a request's head may take to arrive. Default: 30 s. For the body, this time is
    /// extended with each received byte, so that only a very slow body times out.
    HttpServerOptions& request_timeout(Duration timeout) noexcept {
        request_timeout_ = timeout;
        return *this;
    }
    /// How long a connection without a request is kept. Default: 75 s.
    HttpServerOptions& idle_expiry(Duration expiry) noexcept {
        idle_expiry_ = expiry;
        return *this;
    }
    /// How long a client may read nothing while data of an HTTP response is waiting to be sent.
    /// Default: 30 s. After this time, the client is disconnected.
    HttpServerOptions& write_timeout(Duration timeout) noexcept {
        write_timeout_ = timeout;
        return *this;
    }
    /// How often an idle stream sends a comment, so that proxies keep the connection open. Default:
    /// 15 s. Zero: never.
    HttpServerOptions& keepalive_interval(Duration interval) noexcept {
        keepalive_interval_ = interval;
        return *this;
    }
    /// The maximum number of bytes of an HTTP response that may be unsent. Default: 1 MiB. Above
    /// this limit, the client gets no more progress and log messages. WebSockets and all other
    /// transports have ServerOptions::max_unsent_bytes.
    HttpServerOptions& max_unsent_bytes(std::size_t bytes) noexcept {
        max_unsent_bytes_ = bytes;
        return *this;
    }
    /// The number of unsent bytes of an HTTP response above which the client is disconnected.
    /// Default: eight times max_unsent_bytes, which is 8 MiB. Must not be less than
    /// max_unsent_bytes.
    HttpServerOptions& hard_unsent_bytes(std::size_t bytes) noexcept {
        hard_unsent_bytes_ = bytes;
        return *this;
    }

    /// The maximum number of connections; further ones are refused with 503 and Retry-After.
    /// Default: 20,000.
    HttpServerOptions& max_connections(std::size_t count) noexcept {
        max_connections_ = count;
        return *this;
    }
    /// The maximum number of connections from one address. Default: 0, which means no limit. Behind
    /// a proxy, all connections come from the proxy's address.
    HttpServerOptions& max_connections_per_address(std::size_t count) noexcept {
        max_connections_per_address_ = count;
        return *this;
    }
    /// The maximum number of concurrent requests of one principal (authenticated caller). Default:
    /// 1,000. Zero: no limit.
    HttpServerOptions& max_requests_per_principal(std::size_t count) noexcept {
        max_requests_per_principal_ = count;
        return *this;
    }

    /// The number of threads that serve connections. Default: 1, which means the executor of the
    /// listener. If the number is greater, the listener creates that many threads with a loop each,
    /// and serves connections only on them. The system distributes the connections. A session
    /// belongs to one thread; a connection that names a session of another thread moves there.
    /// Handlers may block on these threads (docs/threads.md). At most 4,096. Must be 1 for an
    /// HttpMount.
    HttpServerOptions& threads(std::size_t count) noexcept {
        threads_ = count;
        return *this;
    }

    /// How long pending requests may take to finish when the server stops. Default: 5 s.
    HttpServerOptions& shutdown_timeout(Duration timeout) noexcept {
        shutdown_timeout_ = timeout;
        return *this;
    }
    /// The clock and timers to use. Default: those of the served endpoint.
    HttpServerOptions& time(TimeSource& source) noexcept {
        time_ = &source;
        return *this;
    }

    std::vector<std::string> const& allowed_hosts() const noexcept { return allowed_hosts_; }
    std::vector<std::string> const& allowed_origins() const noexcept { return allowed_origins_; }
    std::shared_ptr<Verifier> const& verifier() const noexcept { return verifier_; }
    std::optional<TlsOptions> const& tls() const noexcept { return tls_; }
    McpHttpOptions const& mcp() const noexcept { return mcp_; }
    std::uint64_t max_body_bytes() const noexcept { return max_body_bytes_; }
    std::size_t max_body_bytes_total() const noexcept { return max_body_bytes_total_; }
    std::size_t max_head_bytes() const noexcept { return max_head_bytes_; }
    Duration request_timeout() const noexcept { return request_timeout_; }
    Duration idle_expiry() const noexcept { return idle_expiry_; }
    Duration write_timeout() const noexcept { return write_timeout_; }
    Duration keepalive_interval() const noexcept { return keepalive_interval_; }
    std::size_t max_unsent_bytes() const noexcept { return max_unsent_bytes_; }
    std::size_t hard_unsent_bytes() const noexcept {
        auto const eightfold = max_unsent_bytes_ < SIZE_MAX / 8 ? max_unsent_bytes_ * 8 : SIZE_MAX;
        return hard_unsent_bytes_.value_or(eightfold);
    }
    std::size_t max_connections() const noexcept { return max_connections_; }
    std::size_t max_connections_per_address() const noexcept {
        return max_connections_per_address_;
    }
    std::size_t max_requests_per_principal() const noexcept { return max_requests_per_principal_; }
    std::size_t threads() const noexcept { return threads_; }
    Duration shutdown_timeout() const noexcept { return shutdown_timeout_; }
    /// The clock and timers; null means those of the endpoint.
    TimeSource* time() const noexcept { return time_; }

private:
    std::vector<std::string> allowed_hosts_;
    std::vector<std::string> allowed_origins_;
    std::shared_ptr<Verifier> verifier_;
    std::optional<TlsOptions> tls_;
    McpHttpOptions mcp_;
    std::uint64_t max_body_bytes_ = std::uint64_t{4} * 1024 * 1024;
    std::size_t max_body_bytes_total_ = std::size_t{256} * 1024 * 1024;
    std::size_t max_head_bytes_ = std::size_t{16} * 1024;
    Duration request_timeout_ = std::chrono::seconds(30);
    Duration idle_expiry_ = std::chrono::seconds(75);
    Duration write_timeout_ = std::chrono::seconds(30);
    Duration keepalive_interval_ = std::chrono::seconds(15);
    std::size_t max_unsent_bytes_ = std::size_t{1} * 1024 * 1024;
    std::optional<std::size_t> hard_unsent_bytes_;
    std::size_t max_connections_ = 20'000;
    std::size_t max_connections_per_address_ = 0;
    std::size_t max_requests_per_principal_ = 1'000;
    std::size_t threads_ = 1;
    Duration shutdown_timeout_ = std::chrono::seconds(5);
    TimeSource* time_ = nullptr;
};

}  // namespace lanyard
