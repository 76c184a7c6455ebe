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
    /// The identity and address of the peer; a handler gets them from its Context. Null if the
    /// transport does not provide them.
    std::shared_ptr<PeerInfo const> sender{};
};

/// Properties of a transport that do not change while it is open.
struct TransportTraits {
    /// How long the peer may be idle while neither side has a pending request; then the connection
    /// is closed.
    Duration idle_limit = Duration::max();
    /// Whether the transport itself detects that the peer has disconnected; then keepalive pings
    /// are not needed.
    bool watches_peer = false;
    /// Whether a peer that has closed its sending direction can still receive. If so, a server
    /// sends its remaining answers before it closes the connection.
    bool half_closes = false;
    /// Whether the connection is closed if the peer sends a line that is not JSON before its first
    /// valid message. Set it for ports that any program can reach. For example, if a web browser is
    /// tricked into sending an HTTP request to the port, no line of the request is processed.
    bool ends_at_noise = false;
    /// Whether a client has to follow the rules of the protocol for HTTP: each request succeeds or
    /// fails on its own, some data of a request is repeated in HTTP headers, and the client also
    /// uses the HTTP status to detect the era of the server.
    bool speaks_http = false;
};

/// An open duplex connection. Carries JSON-RPC messages in order, each exactly once, and nothing
/// else.
///
/// Most programs only pass transports on: to Server::serve(), or to connect(). Implement this class
/// to carry messages in a way that Lanyard does not have, and check the implementation with
/// lanyard::testing::validate_transport().
///
/// Example (docs/snippets/class_examples.cpp#transport):
///
///     lanyard::Task<> exchange() {
///         auto const executor = co_await boost::asio::this_coro::executor;
///         auto [near, far] = lanyard::memory_pair(executor, executor);
///         lanyard::rpc::Outbox outbox;
///         outbox.begin().append(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
///         outbox.end();
///         co_await near->write(outbox);
///         auto const frames = co_await far->read();
///         if (frames) received = frames->front().text;
///     }
///
/// Ownership: a server or client owns its transport and destroys it when the connection has ended
/// and no read or write is in progress. The text of a frame belongs to the transport and is valid
/// until the next read(). The outbox belongs to the caller and must outlive the write.
///
/// Threads: a transport need not be thread-safe. All functions are called on executor(). At most
/// one read and one write are in progress at a time, but a read may be pending during a write.
///
/// Errors: the regular end of the connection is not an error: read() completes with nothing, also
/// after close(). If the connection broke, read() and write() throw Error (transport_down). A
/// single message that cannot be used, for example because it is too long, is reported as a frame,
/// and the connection continues.
///
/// Pitfalls:
/// - A read that is cancelled must not lose a message; the next read returns it.
/// - write() must wait while the peer does not read. A transport that buffers without a limit lets
///   a slow peer exhaust the memory.
/// - Messages that were accepted before close_output() must reach the peer before the end of the
///   connection does.
class Transport {
public:
    virtual ~Transport() = default;

    virtual boost::asio::any_io_executor executor() const = 0;

    /// Completes with all available messages as soon as there is at least one. The frames are valid
    /// until the next call. Completes with nullopt when the peer has ended the connection. Throws
    /// Error (transport_down) if the connection broke. Supports Asio cancellation of type `total`,
    /// which loses no message.
    virtual Task<std::optional<std::span<rpc::Frame const>>> read() = 0;

    /// Sends as many bytes as possible without blocking, and removes them from the outbox. If
    /// sending fails, the next write() throws the error. The default implementation does nothing
    /// and leaves all sending to write().
    virtual void write_now(rpc::Outbox& /*outbox*/) noexcept {}

    /// Sends all messages of the outbox, including those that are added meanwhile. Completes when
    /// the outbox is empty. Throws Error (transport_down) if the connection broke. Supports Asio
    /// cancellation of type `terminal`: the connection is unusable afterwards.
    virtual Task<> write(rpc::Outbox& outbox) = 0;

    /// Closes the connection. A pending read completes with nullopt. Idempotent.
    virtual void close() noexcept = 0;

    /// Closes the sending direction. The peer gets the messages that were sent so far, then the end
    /// of input. Messages of the peer can still be read. A transport that cannot half-close closes
    /// both directions.
    virtual void close_output() noexcept { close(); }

    /// Completes when all resources of the connection are released; for a child process, when it
    /// has been reaped. close() must have been called.
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
    /// Completes with an open connection. Throws Error (unavailable, unauthorized or timeout) if no
    /// connection can be opened.
    virtual Task<std::unique_ptr<Transport>> open() = 0;
    /// The target of the connections, for use in messages: "./greeter",
    /// "http://127.0.0.1:8080/mcp".
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
    /// Logs a message for the operator of the server. May be called from any thread.
    virtual void record(LoggingLevel level, std::string_view text) const noexcept;

private:
    friend class rpc::detail::RequestEntry;
    // Creates the object through which a listener passes stateless requests to the endpoint (the
    // request entry). These requests are served on this executor, which must outlive the request
    // entry. Returns null if the endpoint serves connections only.
    virtual std::shared_ptr<rpc::detail::RequestEntry> open_entry(
        boost::asio::any_io_executor executor);
};

/// Accepts connections and passes them to an endpoint, usually a Server.
///
/// stdio(), listen() and together() return listeners. Implement this class to serve connections
/// that your program accepts in another way:
///
/// Example (docs/snippets/class_examples.cpp#listener):
///
///     class OneConnection : public lanyard::Listener {
///     public:
///         explicit OneConnection(std::unique_ptr<lanyard::Transport> transport)
///             : transport_(std::move(transport)) {}
///
///         lanyard::Task<> run(lanyard::Endpoint& endpoint) override {
///             co_await endpoint.serve(std::move(transport_));
///         }
///         void stop() noexcept override {}  // a Server that stops ends its connections itself
///         std::string describe() const override { return "one connection"; }
///
///     private:
///         std::unique_ptr<lanyard::Transport> transport_;
///     };
///
/// Ownership: Server::run() owns its listener; Server::run_async() only refers to it. The endpoint
/// must outlive run(). Each transport is owned by the endpoint that serves it.
///
/// Threads: run() is called once. It uses the executor of the awaiting coroutine, on which the
/// connections are served unless the listener has threads of its own. stop() and reload() are
/// called from any thread, also before and after run(). If stop() was called before run(), run()
/// completes at once.
///
/// Errors: if run() throws, Server::run() prints the error and returns 1. For example, if a port is
/// in use, listen() stores the error until run() is called, and run() throws it. An error of one
/// connection does not end the listener: Endpoint::serve() does not throw.
///
/// Pitfalls:
/// - run() must not complete before all its connections have ended, because the endpoint may then
///   be destroyed.
/// - A server calls stop() with a lock held, so stop() must return at once and must not call the
///   server.
class Listener {
public:
    virtual ~Listener() = default;
    /// Completes when the listener has stopped and every connection it accepted has ended. Throws
    /// Error (unavailable) if the listener cannot listen.
    virtual Task<> run(Endpoint& endpoint) = 0;
    /// Stops accepting connections. Open connections may finish their work; run() completes when
    /// all have ended. Safe from any thread. Idempotent.
    virtual void stop() noexcept = 0;
    /// Reloads the files of the listener, such as a certificate, for future connections. Returns
    /// false if the listener has no files. If the files cannot be used, throws Error
    /// (invalid_argument), and the old ones stay in use. Safe from any thread.
    virtual bool reload() { return false; }
    virtual std::string describe() const = 0;
};

}  // namespace lanyard
