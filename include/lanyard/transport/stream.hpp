// Serving and connecting over sockets, one message a line: TCP, TLS above it, and Unix sockets.
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

/// What is set for the socket of every connection, at either end.
class SocketOptions {
public:
    SocketOptions() = default;

    /// Longer messages are refused before they are kept: the line is skipped and reported.
    SocketOptions& max_message_bytes(std::size_t bytes) noexcept {
        max_message_bytes_ = bytes;
        return *this;
    }
    /// What is read at a time, which is also the most that waits to be dealt with. Connections of
    /// one thread share such buffers.
    SocketOptions& read_buffer_bytes(std::size_t bytes) noexcept {
        read_buffer_bytes_ = bytes;
        return *this;
    }
    /// What the system holds in either direction; zero leaves that to the system, which adapts.
    SocketOptions& system_buffers(std::size_t receive, std::size_t send) noexcept {
        receive_bytes_ = receive;
        send_bytes_ = send;
        return *this;
    }
    /// Whether small messages leave at once. On unless switched off.
    SocketOptions& no_delay(bool on) noexcept {
        no_delay_ = on;
        return *this;
    }
    /// After how much silence the system asks whether the other machine is there; zero: never.
    SocketOptions& keepalive(std::chrono::seconds silence) noexcept {
        keepalive_ = silence;
        return *this;
    }

    std::size_t max_message_bytes() const noexcept { return max_message_bytes_; }
    std::size_t read_buffer_bytes() const noexcept { return read_buffer_bytes_; }
    std::size_t receive_bytes() const noexcept { return receive_bytes_; }
    std::size_t send_bytes() const noexcept { return send_bytes_; }
    bool no_delay() const noexcept { return no_delay_; }
    std::chrono::seconds keepalive() const noexcept { return keepalive_; }

private:
    std::size_t max_message_bytes_ = std::size_t{16} * 1024 * 1024;
    std::size_t read_buffer_bytes_ = std::size_t{64} * 1024;
    std::size_t receive_bytes_ = 0;
    std::size_t send_bytes_ = 0;
    bool no_delay_ = true;
    std::chrono::seconds keepalive_{30};
};

/// Everything about serving streams that has a sensible default.
class StreamServerOptions {
public:
    StreamServerOptions() = default;

    StreamServerOptions& socket(SocketOptions const& options) noexcept {
        socket_ = options;
        return *this;
    }
    /// For tls:// URLs.
    StreamServerOptions& tls(TlsOptions options) {
        tls_ = std::move(options);
        return *this;
    }
    /// Finds out who connects, once for each connection: by the token that the client sends ahead
    /// of its first message, or by its certificate. Without one everybody may. With several
    /// threads it is used on all of them.
    StreamServerOptions& verifier(std::shared_ptr<Verifier> verifier) {
        verifier_ = std::move(verifier);
        return *this;
    }
    /// Lets anybody call who can reach the machine. A server at an address that others can reach
    /// otherwise needs a verifier, or has to demand client certificates.
    StreamServerOptions& allow_public(bool on = true) noexcept {
        allow_public_ = on;
        return *this;
    }
    /// Who may connect to a Unix socket: the mode of its file.
    StreamServerOptions& socket_mode(unsigned mode) noexcept {
        socket_mode_ = mode;
        return *this;
    }

    /// Connections there may be at a time; those beyond get an error and are closed.
    StreamServerOptions& max_connections(std::size_t count) noexcept {
        max_connections_ = count;
        return *this;
    }
    /// How long a client may be silent while no request is under way. Answers to the server's
    /// pings count as words.
    StreamServerOptions& idle_timeout(Duration silence) noexcept {
        idle_timeout_ = silence;
        return *this;
    }
    /// How long the handshake of TLS may take, and a verifier.
    StreamServerOptions& opening_timeout(Duration wait) noexcept {
        opening_timeout_ = wait;
        return *this;
    }
    /// How long connections may take to end once the listener stops.
    StreamServerOptions& shutdown_grace(Duration grace) noexcept {
        shutdown_grace_ = grace;
        return *this;
    }
    /// How many threads serve, each with its own connections. One means the executor that runs the
    /// listener; more are threads of the listener's own.
    StreamServerOptions& threads(std::size_t count) noexcept {
        threads_ = count;
        return *this;
    }
    /// Where the time comes from; from the endpoint that is served unless set.
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
    Duration idle_timeout() const noexcept { return idle_timeout_; }
    Duration opening_timeout() const noexcept { return opening_timeout_; }
    Duration shutdown_grace() const noexcept { return shutdown_grace_; }
    std::size_t threads() const noexcept { return threads_; }
    /// Null where it is the endpoint's.
    TimeSource* time() const noexcept { return time_; }

private:
    SocketOptions socket_;
    std::optional<TlsOptions> tls_;
    std::shared_ptr<Verifier> verifier_;
    bool allow_public_ = false;
    unsigned socket_mode_ = 0600;
    std::size_t max_connections_ = 1'024;
    Duration idle_timeout_ = std::chrono::minutes(5);
    Duration opening_timeout_ = std::chrono::seconds(10);
    Duration shutdown_grace_ = std::chrono::seconds(5);
    std::size_t threads_ = 1;
    TimeSource* time_ = nullptr;
};

/// What has become of those who connected.
struct StreamStats {
    std::size_t open = 0;            ///< connections at this moment
    std::uint64_t accepted = 0;      ///< since the beginning, those below included
    std::uint64_t turned_away = 0;   ///< beyond the limit of connections
    std::uint64_t unauthorized = 0;  ///< refused by the verifier
    std::uint64_t failed = 0;        ///< no handshake of TLS, or none in time
    std::uint64_t dropped = 0;       ///< for want of descriptors; not among those accepted
};

/// Serves streams. "unix:/run/demo.sock" has no port.
class StreamListener : public UrlListener {
public:
    /// Safe from any thread.
    virtual StreamStats stats() const noexcept = 0;
};

/// Listens at "tcp://127.0.0.1:4000", "tls://..." or "unix:/run/demo.sock". Port 0 takes a free
/// one; "localhost" is both of its addresses. A file that an earlier server has left behind is
/// replaced; the file is removed when the listener ends.
///
/// Throws Error: unavailable where the address cannot be had, invalid_argument where the options
/// do not make sense.
std::unique_ptr<StreamListener> listen(std::string_view url, StreamServerOptions options);

/// Everything about connecting to streams that has a sensible default.
class StreamClientOptions {
public:
    StreamClientOptions() = default;

    StreamClientOptions& socket(SocketOptions const& options) noexcept {
        socket_ = options;
        return *this;
    }
    /// How long it may take to reach the server, TLS included.
    StreamClientOptions& connect_timeout(Duration wait) noexcept {
        connect_timeout_ = wait;
        return *this;
    }
    /// Sent ahead of the first message, for a server with a verifier.
    StreamClientOptions& bearer_token(std::string token) {
        bearer_token_ = std::move(token);
        return *this;
    }
    /// Trusts the certificates in this PEM file only, instead of the system's.
    StreamClientOptions& ca_file(std::string path) {
        ca_file_ = std::move(path);
        return *this;
    }
    /// Shows the server a certificate (PEM files).
    StreamClientOptions& client_certificate(std::string certificate_file, std::string key_file) {
        certificate_file_ = std::move(certificate_file);
        key_file_ = std::move(key_file);
        return *this;
    }
    /// Does not check the server's certificate. For tests on this machine only: anybody in between
    /// can read and change everything.
    StreamClientOptions& insecure(bool on) noexcept {
        insecure_ = on;
        return *this;
    }
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

/// Reaches the server at "tcp://host:port", "tls://host:port" or "unix:/path". Open() throws Error:
/// invalid_argument where the URL or an option is wrong, unavailable where the server cannot be
/// reached in time.
std::unique_ptr<Connector> stream_connector(std::string url, StreamClientOptions options = {});

/// Whether the URL is one for streams, by its scheme.
bool is_stream_url(std::string_view url) noexcept;

}  // namespace lanyard
