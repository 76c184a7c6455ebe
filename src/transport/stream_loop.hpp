// StreamLoop serves the connections of a stream listener on one executor: accepting, admission,
// limits, and shutdown.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/byte_budget.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/transport/stream.hpp"
#include "runtime/event.hpp"
#include "runtime/lane_code.hpp"
#include "sockets/acceptor.hpp"
#include "sockets/tls_source.hpp"
#include "transport/socket_transport.hpp"

namespace lanyard::transport {

class AcceptedTransport;

/// The options and counters that all threads of a listener share.
struct StreamShared {
    StreamServerOptions options{};
    std::shared_ptr<sockets::TlsSource> tls{};  ///< null: without TLS
    std::string kind{};                         ///< "tcp", "tls", "unix"
    std::shared_ptr<runtime::BlockingCode> verifier_code =
        std::make_shared<runtime::BlockingCode>();
    /// The memory of unfinished messages.
    std::shared_ptr<ByteBudget> messages =
        std::make_shared<ByteBudget>(options.max_message_bytes_total());

    std::atomic<std::size_t> open = 0;
    std::atomic<std::uint64_t> accepted = 0;
    std::atomic<std::uint64_t> turned_away = 0;
    std::atomic<std::uint64_t> unauthorized = 0;
    std::atomic<std::uint64_t> dropped = 0;
    std::atomic<std::uint64_t> failed = 0;
};

/// All functions must be called on the executor, which has one thread.
class StreamLoop : public std::enable_shared_from_this<StreamLoop> {
public:
    StreamLoop(boost::asio::any_io_executor executor, std::shared_ptr<StreamShared> shared,
               Endpoint& endpoint);
    StreamLoop(StreamLoop const&) = delete;
    StreamLoop& operator=(StreamLoop const&) = delete;
    ~StreamLoop();

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }

    /// Begins to accept connections from a listening socket.
    void accept_from(Descriptor socket);
    /// Accepts no more connections. The existing ones may take up to `grace` to end.
    void stop(Duration grace);
    /// Completes when the loop has been stopped and no connection is left.
    Task<> ended();
    /// Stops accepting, and closes all connections at once.
    void close() noexcept;

private:
    friend class AcceptedTransport;
    class Place;
    using Transports = std::list<AcceptedTransport*>;

    void add(Descriptor socket, sockets::PeerName peer);
    std::unique_ptr<AcceptedTransport> make_transport(Descriptor socket, std::string peer);
    void turn_away(Descriptor socket, std::string peer);
    /// Runs the task `connection` and destroys `place` at its end, so that the connection is no
    /// longer counted.
    void run(Task<> connection, Place place);
    static Task<> admit_and_serve(std::shared_ptr<StreamLoop> self,
                                  std::unique_ptr<AcceptedTransport> transport);
    static Task<> send_close(std::unique_ptr<AcceptedTransport> transport);
    Task<bool> admit(AcceptedTransport& transport);
    Task<bool> verify(AcceptedTransport& transport);
    void record(LoggingLevel level, std::string_view text) const noexcept;

    boost::asio::any_io_executor executor_;
    std::shared_ptr<StreamShared> shared_;
    Endpoint& endpoint_;
    TimeSource& time_;
    std::shared_ptr<ReadBuffers> buffers_;
    rpc::EnvelopeReader reader_;
    std::vector<std::shared_ptr<sockets::Acceptor>> acceptors_;
    Transports transports_;
    std::size_t serving_ = 0;
    std::size_t leaving_ = 0;  // refused connections that are still being closed
    std::unique_ptr<Alarm> alarm_;
    runtime::Event changed_;
    bool stopping_ = false;
};

}  // namespace lanyard::transport
