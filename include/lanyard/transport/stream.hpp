// Serves and connects over sockets, one message per line: TCP, TLS over TCP, and Unix sockets.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <lanyard/auth/verifier.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/time_source.hpp>
#include <lanyard/transport.hpp>
#include <lanyard/transport/tls.hpp>
#include <lanyard/transport/url_listener.hpp>

namespace lanyard {

/// Options of the socket of a connection, for servers and clients.
class SocketOptions {
public:
    SocketOptions() = default;

    /// The maximum size of a message on a socket. Default: 16 MiB. A larger message is not
    /// buffered: its line is skipped and reported.
    SocketOptions& max_message_bytes(std::size_t bytes) noexcept {
        max_message_bytes_ = bytes;
        return *this;
    }
    /// The size of the read buffer, which is also the maximum amount of unprocessed input. Default:
    /// 64 KiB. The connections of a thread share their read buffers.
    SocketOptions& read_buffer_bytes(std::size_t bytes) noexcept {
        read_buffer_bytes_ = bytes;
        return *this;
    }
    /// The sizes of the system's buffers for receiving and sending. Default: 0 and 0, which lets
    /// the system choose and adapt them.
    SocketOptions& system_buffers(std::size_t receive, std::size_t send) noexcept {
        receive_bytes_ = receive;
        send_bytes_ = send;
        return *this;
    }
    /// Whether small messages are sent immediately (TCP_NODELAY). Default: true.
    SocketOptions& no_delay(bool on) noexcept {
        no_delay_ = on;
        return *this;
    }
    /// The idle time after which the system sends TCP keepalive probes. Default: 30 s. Zero: never.
    SocketOptions& keepalive_interval(std::chrono::seconds interval) noexcept {
        keepalive_interval_ = interval;
        return *this;
    }

    std::size_t max_message_bytes() const noexcept { return max_message_bytes_; }
    std::size_t read_buffer_bytes() const noexcept { return read_buffer_bytes_; }
    std::size_t receive_bytes() const noexcept { return receive_bytes_; }
    std::size_t send_bytes() const noexcept { return send_bytes_; }
    bool no_delay() const noexcept { return no_delay_; }
    std::chrono::seconds keepalive_interval() const noexcept { return keepalive_interval_; }

private:
    std::size_t max_message_bytes_ = std::size_t{16} * 1024 * 1024;
    std::size_t read_buffer_bytes_ = std::size_t{64} * 1024;
    std::size_t receive_bytes_ = 0;
    std::size_t send_bytes_ = 0;
    bool no_delay_ = true;
    std::chrono::seconds keepalive_interval_{30};
};

/// Options of a stream server; all have defaults.
class StreamServerOptions {
public:
    StreamServerOptions() = default;

    /// Options of the socket of every connection. Default: SocketOptions().
    StreamServerOptions& socket(SocketOptions const& options) noexcept {
        socket_ = options;
        return *this;
    }
    /// The certificate for tls:// URLs. Default: none.
    StreamServerOptions& tls(TlsOptions options) {
        tls_ = std::move(options);
        return *this;
    }
    /// Identifies each client once per connection, by the token that it sends before its first
    /// message or by its certificate. Default: none, so everyone may connect. If there are several
    /// threads, the verifier is used on all of them.
    StreamServerOptions& verifier(std::shared_ptr<Verifier> verifier) {
        verifier_ = std::move(verifier);
        return *this;
    }
    /// Whether everyone who can reach the machine may call. Default: false. If false, a server at
    /// an address that other machines can reach must have a verifier or require client
    /// certificates.
    StreamServerOptions& allow_public(bool on = true) noexcept {
        allow_public_ = on;
        return *this;
    }
    /// The file mode of a Unix socket, which decides which users may connect. Default: 0600.
    StreamServerOptions& socket_mode(unsigned mode) noexcept {
        socket_mode_ = mode;
        return *this;
    }

    /// The maximum number of connections; further ones get an error and are closed. Default: 1,024.
    StreamServerOptions& max_connections(std::size_t count) noexcept {
        max_connections_ = count;
        return *this;
    }
    /// The maximum memory for the unfinished messages of all connections together. Default: 256
    /// MiB. A message that would exceed this limit is skipped and answered with the error
    /// `overloaded`. Messages of up to 64 KiB do not count and are always accepted.
    StreamServerOptions& max_message_bytes_total(std::size_t bytes) noexcept {
        max_message_bytes_total_ = bytes;
        return *this;
    }
    /// How long a message may take from its first byte to its last. Default: 30 s. The time is
    /// extended by one second per 16 KiB received. After this time, the connection is closed.
    StreamServerOptions& message_timeout(Duration timeout) noexcept {
        message_timeout_ = timeout;
        return *this;
    }
    /// How long a client stays connected while it is idle and has no pending request. Default: 5
    /// min. Answers to the pings of the server count as activity.
    StreamServerOptions& idle_expiry(Duration expiry) noexcept {
        idle_expiry_ = expiry;
        return *this;
    }
    /// How long the TLS handshake and the verifier may take. Default: 10 s.
    StreamServerOptions& opening_timeout(Duration timeout) noexcept {
        opening_timeout_ = timeout;
        return *this;
    }
    /// How long connections may take to end when the listener stops. Default: 5 s.
    StreamServerOptions& shutdown_timeout(Duration timeout) noexcept {
        shutdown_timeout_ = timeout;
        return *this;
    }
    /// The number of threads that serve connections; each connection belongs to one thread.
    /// Default: 1, which means the executor of the listener. If the number is greater, the listener
    /// creates that many threads and serves connections only on them. Handlers may block on these
    /// threads (docs/threads.md).
    StreamServerOptions& threads(std::size_t count) noexcept {
        threads_ = count;
        return *this;
    }
    /// The clock and timers to use. Default: those of the served endpoint.
    StreamServerOptions& time(TimeSource& source) noexcept {
        time_ = &source;
        return *this;
    }

    SocketOptions const& socket() const noexcept { return socket_; }
    std::optional<TlsOptions> const& tls() const noexcept { return tls_; }
    std::shared_ptr<Verifier> const& verifier() const noexcept { return verifier_; }
    bool allow_public() const noexcept { return allow_public_; }
    unsigned socket_mode() const noexcept { return socket_mode_; }
    std::size_t max_connections() const noexcept { return max_connections_; }
    std::size_t max_message_bytes_total() const noexcept { return max_message_bytes_total_; }
    Duration message_timeout() const noexcept { return message_timeout_; }
    Duration idle_expiry() const noexcept { return idle_expiry_; }
    Duration opening_timeout() const noexcept { return opening_timeout_; }
    Duration shutdown_timeout() const noexcept { return shutdown_timeout_; }
    std::size_t threads() const noexcept { return threads_; }
    /// The clock and timers; null means those of the endpoint.
    TimeSource* time() const noexcept { return time_; }

private:
    SocketOptions socket_;
    std::optional<TlsOptions> tls_;
    std::shared_ptr<Verifier> verifier_;
    bool allow_public_ = false;
    unsigned socket_mode_ = 0600;
    std::size_t max_connections_ = 1'024;
    std::size_t max_message_bytes_total_ = std::size_t{256} * 1024 * 1024;
    Duration message_timeout_ = std::chrono::seconds(30);
    Duration idle_expiry_ = std::chrono::minutes(5);
    Duration opening_timeout_ = std::chrono::seconds(10);
    Duration shutdown_timeout_ = std::chrono::seconds(5);
    std::size_t threads_ = 1;
    TimeSource* time_ = nullptr;
};

/// Counters of a stream listener's connections.
struct StreamStats {
    /// The number of connections that are open now.
    std::size_t open = 0;
    /// All connections that were accepted, including turned_away, unauthorized and failed.
    std::uint64_t accepted = 0;
    /// Connections refused because there were too many, or because the listener was stopping.
    std::uint64_t turned_away = 0;
    /// Connections refused by the verifier.
    std::uint64_t unauthorized = 0;
    /// Connections whose TLS handshake or verification failed or took too long.
    std::uint64_t failed = 0;
    /// Connections closed at once because no file descriptor was left; not part of `accepted`.
    std::uint64_t dropped = 0;
    /// Messages refused because of StreamServerOptions::max_message_bytes_total.
    std::uint64_t messages_refused = 0;
};

/// A listener for streams. port() is zero for "unix:/run/demo.sock".
class StreamListener : public UrlListener {
public:
    /// Safe from any thread.
    virtual StreamStats stats() const noexcept = 0;
};

/// Listens at "tcp://127.0.0.1:4000", "tls://..." or "unix:/run/demo.sock". Port 0 selects a free
/// port; "localhost" listens at both its IPv4 and its IPv6 address. A socket file left by an
/// earlier server is replaced; the file is removed when the listener ends.
///
/// If the address or an option cannot be used, the functions of the returned listener throw the
/// error, which Server::run() prints; see UrlListener.
std::unique_ptr<StreamListener> listen(std::string_view url, StreamServerOptions options);

/// Options of a stream client; all have defaults.
class StreamClientOptions {
public:
    StreamClientOptions() = default;

    /// Options of the socket. Default: SocketOptions().
    StreamClientOptions& socket(SocketOptions const& options) noexcept {
        socket_ = options;
        return *this;
    }
    /// How long connecting may take, including TLS. Default: 5 s.
    StreamClientOptions& connect_timeout(Duration timeout) noexcept {
        connect_timeout_ = timeout;
        return *this;
    }
    /// The token to send before the first message, for a server with a verifier. Default: none.
    StreamClientOptions& bearer_token(std::string token) {
        bearer_token_ = std::move(token);
        return *this;
    }
    /// A PEM file with certificates; the client trusts these and no others. Default: the
    /// certificates of the system are trusted.
    StreamClientOptions& ca_file(std::string path) {
        ca_file_ = std::move(path);
        return *this;
    }
    /// The client certificate and its key (PEM files). Default: none.
    StreamClientOptions& client_certificate(std::string certificate_file, std::string key_file) {
        certificate_file_ = std::move(certificate_file);
        key_file_ = std::move(key_file);
        return *this;
    }
    /// Whether the server's certificate is accepted without being verified. Default: false. For
    /// local tests only: anyone on the network path can read and change all data.
    StreamClientOptions& insecure(bool on) noexcept {
        insecure_ = on;
        return *this;
    }
    /// The clock and timers to use. Default: real_time(). Must outlive the connector.
    StreamClientOptions& time(TimeSource& source) noexcept {
        time_ = &source;
        return *this;
    }

    SocketOptions const& socket() const noexcept { return socket_; }
    Duration connect_timeout() const noexcept { return connect_timeout_; }
    std::string const& bearer_token() const noexcept { return bearer_token_; }
    std::string const& ca_file() const noexcept { return ca_file_; }
    std::string const& certificate_file() const noexcept { return certificate_file_; }
    std::string const& key_file() const noexcept { return key_file_; }
    bool insecure() const noexcept { return insecure_; }
    TimeSource& time() const noexcept { return *time_; }

private:
    SocketOptions socket_;
    Duration connect_timeout_ = std::chrono::seconds(5);
    std::string bearer_token_;
    std::string ca_file_;
    std::string certificate_file_;
    std::string key_file_;
    bool insecure_ = false;
    TimeSource* time_ = &real_time();
};

/// Connects to the server at "tcp://host:port", "tls://host:port" or "unix:/path". open() throws
/// Error: invalid_argument if the URL or an option is invalid, unavailable if the server cannot be
/// reached in time.
std::unique_ptr<Connector> stream_connector(std::string url, StreamClientOptions options = {});

/// Whether the URL's scheme is tcp, tls or unix.
bool is_stream_url(std::string_view url) noexcept;

}  // namespace lanyard
