// What carries messages: Transport (a duplex connection), Connector (how a client opens one),
// Listener (how a server gets them). Write one of these three to bring your own carrier.
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
#include <lanyard/peer_facts.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/rpc/frame.hpp>
#include <lanyard/rpc/outbox.hpp>
#include <lanyard/task.hpp>
#include <lanyard/time_source.hpp>

namespace lanyard {

namespace rpc {
class EnvelopeReader;
class RequestPort;
}  // namespace rpc
enum class LoggingLevel;

/// Who and what is at the other end, as far as the carrier knows.
struct TransportInfo {
    std::string kind;  ///< "stdio", "memory", "child process", "tcp", ...
    std::string peer;  ///< an address, a command or a process id; may be empty
    std::uint64_t messages_in = 0;
    std::uint64_t messages_out = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
};

/// An open duplex connection: carries JSON-RPC messages in order, none twice, and nothing else.
///
/// All functions are called on executor(); one read and one write may be under way at a time.
class Transport {
public:
    virtual ~Transport() = default;

    virtual boost::asio::any_io_executor executor() const = 0;

    /// Completes when at least one message has come: with all that are there. The frames are valid
    /// until the next call. Nothing when the peer has ended the connection. Throws Error
    /// (transport_down) when it broke. Cancellation: total; nothing is lost.
    virtual Task<std::optional<std::span<rpc::Frame const>>> read() = 0;

    /// While a read() waits, a carrier that gets its messages one by one may give them to the sink
    /// instead: it is called in place, where the reader would have to be woken up. Only for
    /// carriers whose write_now() takes everything, since nothing else slows them down.
    virtual void set_sink(rpc::FrameSink& /*sink*/) noexcept {}

    /// Sends what can be sent without waiting and removes it from the outbox. A failure is kept and
    /// thrown by the next write().
    virtual void write_now(rpc::Outbox& outbox) noexcept = 0;

    /// Completes when the outbox is empty. Throws Error (transport_down) when the connection broke.
    /// Messages added meanwhile are sent too. Cancellation: terminal; the connection is of no use
    /// afterwards.
    virtual Task<> write(rpc::Outbox& outbox) = 0;

    /// Ends the connection: a read under way completes with nothing. May be called again.
    virtual void close() noexcept = 0;

    /// Ends the sending direction: the peer's read completes with nothing once it has what was
    /// sent, while this end still reads. A carrier that cannot end one direction alone closes.
    virtual void close_output() noexcept { close(); }

    /// After read() has completed with nothing: completes once the peer takes no more either, or
    /// close() is called. A carrier that does not end one direction alone completes at once.
    virtual Task<> hung_up() { co_return; }

    /// Completes when everything the connection held is released (a child process is reaped, say).
    /// close() must have been called.
    virtual Task<> closed() { co_return; }

    virtual TransportInfo info() const = 0;

    /// Who has sent what came with this origin, which may be different for every request; origin 0
    /// stands for the connection as a whole. Unless overridden, only the kind is known.
    virtual std::shared_ptr<PeerFacts const> facts(std::uint64_t origin) const;

    /// Whether the carrier itself notices that the peer is gone, so that the peer need not be asked
    /// now and then whether it is there.
    virtual bool watches_peer() const noexcept { return false; }

    /// How long the peer may be silent while no request of either side is under way; the connection
    /// is then closed.
    virtual Duration idle_limit() const noexcept { return Duration::max(); }

    /// Lets go of the stream that carries what belongs to this origin, before the request has
    /// ended: the peer comes back for the rest. Does nothing where there is no such stream.
    virtual void release_stream(std::uint64_t /*origin*/) noexcept {}

    /// Whether the connection ends at a text that is not JSON before the first message. True for
    /// ports that anything may connect to, such as a web browser that was told to send an HTTP
    /// request: none of the lines of such a request is then carried out.
    virtual bool ends_at_noise() const noexcept { return false; }

    /// Whether what the protocol says of HTTP applies to a client: each request succeeds or fails
    /// alone, data of requests is mirrored in headers, probes are judged by HTTP's rules.
    virtual bool speaks_http() const noexcept { return false; }

    /// What reads the messages of all connections of this executor, one at a time: memory that not
    /// every connection needs for itself. Null where each has its own. Lives as long as this.
    virtual rpc::EnvelopeReader* shared_reader() noexcept { return nullptr; }

    /// What the connection goes on from, where it has rested (rpc::FrameSink::rest); asked for
    /// once, before anything else.
    virtual std::unique_ptr<rpc::Rested> take_rested() noexcept { return nullptr; }

    /// Why the connection ended, for error messages: "./greeter exited with code 3". May be empty.
    virtual std::string end_reason() const { return {}; }
};

/// Opens connections to one peer; asked again for every reconnect.
class Connector {
public:
    virtual ~Connector() = default;
    /// Completes with an open connection. Throws Error (unavailable, unauthorized, timeout).
    virtual Task<std::unique_ptr<Transport>> open() = 0;
    /// What it connects to, for messages: "./greeter", "http://127.0.0.1:8080/mcp".
    virtual std::string describe() const = 0;
    /// Whether opening starts the peer itself, which then should not be done too often.
    virtual bool starts_peer() const noexcept { return false; }
};

/// What a listener hands its connections to; a Server is one.
class Endpoint {
public:
    virtual ~Endpoint() = default;
    /// Serves one connection until it ends.
    virtual Task<> serve(std::unique_ptr<Transport> transport) = 0;
    /// Opens the way for requests that stand alone, one for each executor. It must not outlive the
    /// executor. Null where only connections are served.
    virtual std::unique_ptr<rpc::RequestPort> open_port(boost::asio::any_io_executor executor);

    // What a listener needs to know.

    virtual TimeSource& time() const noexcept;
    virtual Random& random() const noexcept;
    /// The revisions of the protocol that are served.
    virtual std::vector<Version> versions() const;
    /// Tells whoever operates the server. Any thread.
    virtual void record(LoggingLevel level, std::string_view text) const noexcept;
};

/// Accepts connections and hands them to an endpoint.
class Listener {
public:
    virtual ~Listener() = default;
    /// Completes when the listener has stopped and every connection it accepted has ended. Throws
    /// Error (unavailable) where it cannot listen.
    virtual Task<> run(Endpoint& endpoint) = 0;
    /// Accepts no more and lets what is open end. Safe from any thread; may be called again.
    virtual void stop() noexcept = 0;
    /// Reads its files again, such as a certificate, for what comes from now on. False if it has
    /// none. Throws Error (invalid_argument) if they cannot be used; the old ones then stay in use.
    /// Safe from any thread.
    virtual bool reload() { return false; }
    virtual std::string describe() const = 0;
};

}  // namespace lanyard
