// ServerLoop: owns the connections of a server on one executor, and what they share: the handler,
// the timer, buffers and limits. Also shuts the connections down.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "base/scratch.hpp"
#include "http/server/connection.hpp"
#include "http/server/listener_totals.hpp"
#include "http/server/loop_member.hpp"
#include "http/server/socket_poll.hpp"
#include "lanyard/http/server_options.hpp"
#include "lanyard/task.hpp"
#include "lanyard/transport.hpp"
#include "runtime/event.hpp"
#include "runtime/lane.hpp"
#include "sockets/tls_source.hpp"

namespace lanyard::http {

/// All functions must be called on the executor, which must not run two handlers at the same time.
class ServerLoop : public std::enable_shared_from_this<ServerLoop> {
public:
    /// The parts of a server that make_parts() has made and checked.
    struct Parts {
        std::shared_ptr<AdmissionGate const> gate;
        std::shared_ptr<sockets::TlsSource> tls;  ///< null if the server does not use TLS
        std::shared_ptr<ListenerTotals> totals;
        HttpServerOptions options;
    };

    /// `endpoint` must outlive the loop. It provides the time and the log. `index` is the number of
    /// the loop among the loops of its listener.
    ServerLoop(boost::asio::any_io_executor executor, Parts parts, Endpoint const& endpoint,
               std::unique_ptr<RequestHandler> handler, std::size_t index = 0);
    ServerLoop(ServerLoop const&) = delete;
    ServerLoop& operator=(ServerLoop const&) = delete;
    ~ServerLoop();

    /// Takes ownership of a connected socket and serves it. The socket must be non-blocking and
    /// close-on-exec. `address` is the peer's address without its port; `already_read` are the
    /// bytes that the caller has read from the socket.
    void add(int socket, std::string address, std::string peer, std::string_view already_read = {});

    /// Continues to serve a connection that has left another loop of the listener.
    void adopt(LeavingConnection connection);
    /// Adds a member that has no connection of its own.
    void add(std::shared_ptr<LoopMember> const& member);

    /// Begins to stop: pending replies may take up to `grace`, then every connection is closed.
    void stop(Duration grace);
    /// Completes when the loop was stopped, no connection is left, and the handler's work has
    /// ended.
    Task<> ended();
    /// Closes every connection at once.
    void close() noexcept;
    /// Closes every connection and destroys the handler, so that the endpoint is not used any more.
    /// The ServerLoop object may live on until its last pending operation has completed.
    void destroy() noexcept;

    /// Whether the loop serves no requests any more. May be called on any thread.
    bool ended_early() const noexcept { return ending_.load(std::memory_order_relaxed); }

    // For connections.

    ConnectionShared& shared() noexcept { return shared_; }
    std::shared_ptr<SocketPoll> const& poll() const noexcept { return poll_; }
    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    TimePoint now() const noexcept { return shared_.time.now(); }
    TimeSource& time() const noexcept { return shared_.time; }
    /// Logs a message.
    void record(LoggingLevel level, std::string_view text) const noexcept {
        endpoint_.record(level, text);
    }
    Duration grace() const noexcept { return parts_.options.shutdown_timeout(); }
    /// Calls the verifier, which may take any time or block, and then `decide`, on the executor. If
    /// the verifier throws, the credentials are refused. `cancel` cancels the call.
    void verify(Credentials const& credentials, boost::asio::cancellation_signal& cancel,
                std::function<void(Verification const&)> decide);
    /// Buffers shared by all connections. A connection processes their content before another
    /// connection uses them.
    std::span<char> scratch() noexcept { return scratch_; }
    std::string& plaintext() noexcept { return plaintext_; }
    /// Removes a connection that has ended.
    void remove(LoopMember& member) noexcept;
    /// Puts `member` in the place of `former`, a connection that switches to another protocol.
    void replace(LoopMember& former, std::shared_ptr<LoopMember> member) noexcept;
    /// Must be called whenever a reply may have ended. If the server is stopping and no reply is
    /// pending, stops all connections.
    void check_stopped() noexcept {
        if (stopping()) stop_if_idle();
    }

    /// Whether the loop was stopped or closed.
    bool stopping() const noexcept { return ending_ || handler_->stopping(); }

    std::size_t size() const noexcept { return connections_.size(); }

private:
    using Connections = std::list<std::shared_ptr<LoopMember>>;

    void tick();
    void rearm();
    void turn_away(int socket) noexcept;
    void stop_if_idle() noexcept;
    // Adds the member and calls the function. If that fails, closes the member.
    template <class F>
    void begin(std::shared_ptr<LoopMember> const& member, F const& start);

    boost::asio::any_io_executor executor_;
    Parts parts_;
    Endpoint const& endpoint_;
    std::unique_ptr<RequestHandler> handler_;
    ConnectionShared shared_;
    std::shared_ptr<SocketPoll> poll_;
    Connections connections_;
    std::shared_ptr<runtime::BlockingCode> verifier_code_ =
        std::make_shared<runtime::BlockingCode>();
    Scratch scratch_;
    std::string plaintext_;
    std::unique_ptr<Alarm> alarm_;
    runtime::Event changed_;
    Connections::iterator tick_at_;  // the next connection whose tick() is called
    TimePoint grace_end_ = TimePoint::max();
    bool armed_ = false;
    // All connections are being ended, because either close() was called, or the loop was stopped
    // and no reply is pending.
    std::atomic<bool> ending_ = false;
    bool overdue_ = false;  // the grace period is over, and the last responses are being sent
};

}  // namespace lanyard::http
