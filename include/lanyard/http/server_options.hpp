// HttpServerOptions: everything about serving HTTP that has a sensible default.
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

class HttpServerOptions {
public:
    HttpServerOptions() = default;

    /// Names by which clients may call: "api.example" with any port, "api.example:8443" with that
    /// one, "*" any. A server on a loopback address is called by loopback names in any case; any
    /// other needs at least one name.
    HttpServerOptions& allow_host(std::string host) {
        allowed_hosts_.push_back(std::move(host));
        return *this;
    }
    /// Origins of web pages that may call and read the answers: "https://app.example", or "*".
    HttpServerOptions& allow_origin(std::string origin) {
        allowed_origins_.push_back(std::move(origin));
        return *this;
    }
    /// Finds out who calls. Without one everybody may.
    HttpServerOptions& verifier(std::shared_ptr<Verifier> verifier) {
        verifier_ = std::move(verifier);
        return *this;
    }
    /// For https.
    HttpServerOptions& tls(TlsOptions options) {
        tls_ = std::move(options);
        return *this;
    }
    /// Sessions, streams, and the form of answers.
    HttpServerOptions& mcp(McpHttpOptions options) {
        mcp_ = std::move(options);
        return *this;
    }

    /// What a request may consist of.
    HttpServerOptions& max_body_bytes(std::uint64_t bytes) noexcept {
        max_body_bytes_ = bytes;
        return *this;
    }
    /// Limits the total size of the bodies of all requests that are arriving or being served. A
    /// request whose body does not fit is refused with 503; a body of up to 8 KiB always fits.
    HttpServerOptions& max_body_bytes_total(std::size_t bytes) noexcept {
        max_body_bytes_total_ = bytes;
        return *this;
    }
    HttpServerOptions& max_head_bytes(std::size_t bytes) noexcept {
        max_head_bytes_ = bytes;
        return *this;
    }

    /// How long a request's head may take to arrive, and a body that arrives at a crawl.
    HttpServerOptions& request_timeout(Duration timeout) noexcept {
        request_timeout_ = timeout;
        return *this;
    }
    /// How long a connection may wait for its next request.
    HttpServerOptions& idle_timeout(Duration timeout) noexcept {
        idle_timeout_ = timeout;
        return *this;
    }
    /// How long a client may leave unread what is sent to it.
    HttpServerOptions& write_timeout(Duration timeout) noexcept {
        write_timeout_ = timeout;
        return *this;
    }
    /// How often a silent stream shows that it is alive; zero: never.
    HttpServerOptions& heartbeat(Duration interval) noexcept {
        heartbeat_ = interval;
        return *this;
    }
    /// What a client may leave unread: from the first on it gets no more than it needs, beyond the
    /// second it is cut off.
    HttpServerOptions& max_unsent_bytes(std::size_t soft, std::size_t hard) noexcept {
        soft_unsent_ = soft;
        hard_unsent_ = hard;
        return *this;
    }

    /// Connections there may be at a time; those beyond are told to come back later.
    HttpServerOptions& max_connections(std::size_t count) noexcept {
        max_connections_ = count;
        return *this;
    }
    /// Connections of one address; zero: any number, which is right behind a proxy.
    HttpServerOptions& max_connections_per_address(std::size_t count) noexcept {
        max_connections_per_address_ = count;
        return *this;
    }
    /// Requests that one principal may have under way; zero: any number.
    HttpServerOptions& max_requests_per_principal(std::size_t count) noexcept {
        max_requests_per_principal_ = count;
        return *this;
    }

    /// How long requests under way may take to end once the server stops.
    HttpServerOptions& shutdown_grace(Duration grace) noexcept {
        shutdown_grace_ = grace;
        return *this;
    }
    /// Where the time comes from; from the endpoint that is served unless set.
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
    Duration idle_timeout() const noexcept { return idle_timeout_; }
    Duration write_timeout() const noexcept { return write_timeout_; }
    Duration heartbeat() const noexcept { return heartbeat_; }
    std::size_t soft_unsent_bytes() const noexcept { return soft_unsent_; }
    std::size_t hard_unsent_bytes() const noexcept { return hard_unsent_; }
    std::size_t max_connections() const noexcept { return max_connections_; }
    std::size_t max_connections_per_address() const noexcept {
        return max_connections_per_address_;
    }
    std::size_t max_requests_per_principal() const noexcept { return max_requests_per_principal_; }
    Duration shutdown_grace() const noexcept { return shutdown_grace_; }
    /// Null where it is the endpoint's.
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
    Duration idle_timeout_ = std::chrono::seconds(75);
    Duration write_timeout_ = std::chrono::seconds(30);
    Duration heartbeat_ = std::chrono::seconds(15);
    std::size_t soft_unsent_ = std::size_t{1} * 1024 * 1024;
    std::size_t hard_unsent_ = std::size_t{8} * 1024 * 1024;
    std::size_t max_connections_ = 20'000;
    std::size_t max_connections_per_address_ = 0;
    std::size_t max_requests_per_principal_ = 1'000;
    Duration shutdown_grace_ = std::chrono::seconds(5);
    TimeSource* time_ = nullptr;
};

}  // namespace lanyard
