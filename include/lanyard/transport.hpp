// The transport interfaces: Transport (a duplex connection), Connector (opens connections for a
// client), Listener (accepts connections for a server). Implement one of these to bring your own
// transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include <lanyard/clock.hpp>
#include <lanyard/peer_info.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/rpc/frame.hpp>
#include <lanyard/rpc/outbox.hpp>
#include <lanyard/task.hpp>
#include <lanyard/time_source.hpp>

namespace lanyard {

enum class LoggingLevel;

namespace rpc::detail {
class RequestEntry;
}

/// Information about the peer and the traffic of a connection.
struct TransportInfo {
    std::string kind;  ///< "stdio", "memory", "child process", "tcp", ...
    std::string peer;  ///< an address, a command or a process id; may be empty
    std::uint64_t messages_in = 0;
    std::uint64_t messages_out = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    /// The identity and address of the peer, for Context; null if the transport does not know them.
    std::shared_ptr<PeerInfo const> sender{};
};

/// Properties of a transport that do not change while it is open.
struct TransportTraits {
    /// The connection is closed after the peer has been idle for this long while no request of
    /// either side was pending.
    Duration idle_limit = Duration::max();
    /// The transport itself detects that the peer has disconnected, so that keepalive pings are not
    /// needed.
    bool watches_peer = false;
    /// A peer that has closed its sending direction may still receive: a server sends its remaining
    /// answers before it closes the connection.
    bool half_closes = false;
    /// The connection is closed if the input before the first message is not JSON. Set it for ports
    /// that any program can reach, for example a web browser that was tricked into sending an HTTP
    /// request: no line of such a request is then processed.
    bool ends_at_noise = false;
    /// The protocol's rules for HTTP apply to a client: each request succeeds or fails on its own,
    /// data of requests is mirrored in headers, and probes are judged by HTTP status.
    bool speaks_http = false;
};

/// An open duplex connection. Carries JSON-RPC messages in order, each exactly once, and nothing
/// else.
///
/// All functions are called on executor(). At most one read and one write are in progress at a
/// time.
class Transport {
public:
    virtual ~Transport() = default;

    virtual boost::asio::any_io_executor executor() const = 0;

    /// Completes with all available messages as soon as there is at least one. The frames are valid
    /// until the next call. Completes with nothing when the peer has ended the connection. Throws
    /// Error (transport_down) if the connection broke. Cancellation: total; nothing is lost.
    virtual Task<std::optional<std::span<rpc::Frame const>>> read() = 0;

    /// Sends as many bytes as possible without blocking and removes them from the outbox. If
    /// sending fails, the next write() throws the error. May leave all the work to write().
    virtual void write_now(rpc::Outbox& /*outbox*/) noexcept {}

    /// Completes when the outbox is empty; also sends messages that are added meanwhile. Throws
    /// Error (transport_down) if the connection broke. Cancellation: terminal; the connection is
    /// unusable afterwards.
    virtual Task<> write(rpc::Outbox& outbox) = 0;

    /// Closes the connection: a pending read completes with nothing. Idempotent.
    virtual void close() noexcept = 0;

    /// Closes the sending direction: the peer's read completes with nothing after the messages sent
    /// so far, while this end can still read. A transport that cannot half-close closes both
    /// directions.
    virtual void close_output() noexcept { close(); }

    /// Completes when everything the connection held is released, for example a child process is
    /// reaped. close() must have been called.
    virtual Task<> closed() { co_return; }

    virtual TransportInfo info() const = 0;
    virtual TransportTraits traits() const noexcept { return {}; }

    /// Why the connection ended, for error messages: "./greeter exited with code 3". May be empty.
    virtual std::string end_reason() const { return {}; }
};

/// Opens connections to one peer; open() is called again for every reconnect.
class Connector {
public:
    virtual ~Connector() = default;
    /// Completes with an open connection. Throws Error (unavailable, unauthorized, timeout).
    virtual Task<std::unique_ptr<Transport>> open() = 0;
    /// The target, for messages: "./greeter", "http://127.0.0.1:8080/mcp".
    virtual std::string describe() const = 0;
    /// Whether open() starts the peer as a process; ReconnectOptions::restart_limit() then applies.
    virtual bool starts_peer() const noexcept { return false; }
};

/// Serves the connections of a listener; a Server is an Endpoint.
class Endpoint {
public:
    virtual ~Endpoint() = default;
    /// Serves one connection until it ends.
    virtual Task<> serve(std::unique_ptr<Transport> transport) = 0;

    // Settings that a listener uses.

    virtual TimeSource& time() const noexcept;
    virtual Random& random() const noexcept;
    /// The protocol revisions that are served.
    virtual std::vector<Version> versions() const;
    /// Logs a message for the operator of the server. Any thread.
    virtual void record(LoggingLevel level, std::string_view text) const noexcept;

private:
    friend class rpc::detail::RequestEntry;
    // Serves the stateless requests of one executor; the result must not outlive the executor.
    // Null if only connections are served.
    virtual std::unique_ptr<rpc::detail::RequestEntry> open_entry(
        boost::asio::any_io_executor executor);
};

/// Accepts connections and hands them to an endpoint.
class Listener {
public:
    virtual ~Listener() = default;
    /// Completes when the listener has stopped and every connection it accepted has ended. Throws
    /// Error (unavailable) if the listener cannot listen.
    virtual Task<> run(Endpoint& endpoint) = 0;
    /// Accepts no more connections and lets open ones end. Safe from any thread. Idempotent.
    virtual void stop() noexcept = 0;
    /// Reloads its files, such as a certificate, for future connections. Returns false if it has no
    /// files. If the files cannot be used, throws Error (invalid_argument), and the old ones stay
    /// in use. Safe from any thread.
    virtual bool reload() { return false; }
    virtual std::string describe() const = 0;
};

}  // namespace lanyard
