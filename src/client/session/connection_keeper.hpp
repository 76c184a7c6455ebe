// ConnectionKeeper: opens the connections of a client, replaces a lost connection, and ends when
// the client is closed. The states are described in docs/design/connection.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "client/session/connection_machine.hpp"
#include "client/session/current_connection.hpp"
#include "client/session/event_reports.hpp"
#include "lanyard/client/call_options.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/transport.hpp"
#include "runtime/event.hpp"

namespace lanyard::client {

/// The owner of a ConnectionKeeper.
class ConnectionOwner {
public:
    /// Returns a pointer that keeps the owner, and with it the keeper, alive.
    virtual std::shared_ptr<void> share() = 0;
    /// Negotiates the protocol version on a new connection. On success calls
    /// ConnectionKeeper::on_established(); on failure throws Error.
    virtual Task<> negotiate() = 0;
    /// The number of pending requests that normally stay pending until the connection ends, such as
    /// subscription streams.
    virtual std::size_t lasting_requests() const = 0;
    /// Called once, when the client has ended.
    virtual void on_ended() = 0;

protected:
    ~ConnectionOwner() = default;
};

/// Used on one executor, unless a comment says otherwise.
class ConnectionKeeper {
public:
    /// The references must stay valid as long as this object exists.
    ConnectionKeeper(ConnectionOwner& owner, boost::asio::any_io_executor executor,
                     ClientOptions const& options, CurrentConnection& connection,
                     EventReports const& reports);

    /// May be called on any thread.
    ConnectionState state() const noexcept { return state_.load(std::memory_order_relaxed); }
    /// The latest changes of the state, oldest first. May be called on any thread.
    std::vector<StateChange> history() const;
    static constexpr std::size_t history_limit = 32;
    /// The number of times the client has become ready. May be called on any thread.
    std::uint64_t connect_count() const noexcept {
        return connect_count_.load(std::memory_order_relaxed);
    }

    // Opening connections.

    /// Sets the connector. If the options allow it, the connector also replaces a lost connection.
    /// Without a connector (null), the client ends when its connection is lost.
    void set_connector(std::unique_ptr<Connector> connector);
    bool reconnects() const noexcept { return connector_ && options_.reconnect().enabled(); }
    /// Opens the client on this transport. If that fails, closes everything that was opened and
    /// throws Error.
    Task<> open(std::unique_ptr<Transport> transport);
    /// From now on, a lost connection is replaced, and the end of the client is reported to the
    /// user.
    void hand_out();

    // For the negotiation.

    /// The server's protocol version as remembered from an earlier connection.
    std::optional<KnownServer> const& known_server() const noexcept { return known_server_; }
    /// Replaces a connection that the server has ended. Throws Error with the message `what` and
    /// the reason if that is not possible.
    Task<> reopen(std::string_view what);
    /// Called when the negotiation has succeeded.
    void on_established(KnownServer const& server);

    // Calls.

    /// Whether calls can be made.
    bool is_ready() const noexcept {
        return machine_.state() == ConnectionState::ready && connection_.is_open();
    }
    /// Succeeds if requests can be sent; otherwise the error is the reason why not.
    Result<void> check_ready() const;
    /// Like check_ready(), but for the first request of a call: also fails if the client is
    /// stopping and only waits for the calls that are already pending.
    Result<void> check_new_call() const {
        if (stopping_ && !machine_.has_ended()) return Unexpected(closing_error());
        return check_ready();
    }
    /// Whether a call with these options has to wait until the client is ready.
    bool must_wait(CallOptions const& options) const noexcept {
        return options.wait_until_ready() && machine_.may_become_ready() && !stopping_;
    }
    /// Completes when the client is ready. Throws Error (timeout), Error (cancelled), or the reason
    /// why the client cannot become ready.
    Task<> await_ready(Duration timeout, std::stop_token stop = {});
    /// Overload that takes the timeout and the stop token from the options of a call.
    Task<> await_ready(CallOptions const& options) {
        return await_ready(options.timeout().value_or(options_.timeout()), options.stop_token());
    }

    // The end.

    /// From now on, new calls fail; pending calls continue.
    void refuse_calls();
    /// Closes the client when no request is pending any more, at the latest after `grace`.
    /// Completes when it is closed.
    Task<> stop(Duration grace);
    void close() noexcept;
    /// Completes when the client has ended and everything is released.
    Task<> closed();

    /// Called when a request has ended.
    void on_request_ended() {
        if (awaits_idle_) on_fewer_requests();
    }
    /// Called when 80, 90 or 96 percent of the ids for requests are used, and reports each of these
    /// levels. At 96 percent, the connection is replaced as soon as no call is pending.
    void on_ids_used(rpc::IdNotice notice);
    /// Called when all ids for requests are used. Replaces the connection.
    void on_ids_used_up();
    /// Called when the current connection has ended.
    void on_connection_ended();

private:
    static Task<> serve(std::shared_ptr<ConnectionKeeper> self);
    static Task<> keep_connected(std::shared_ptr<ConnectionKeeper> self);
    Task<> wait_for_attempt();
    Task<std::unique_ptr<Transport>> open_transport();
    void attach(std::unique_ptr<Transport> transport);
    /// Completes when the current connection is released.
    Task<> released();
    void on_released();
    void on_lost(Error const& reason);
    void on_fewer_requests();
    bool has_pending_calls() const;
    /// Replaces the connection, so that the ids of requests start again from 1.
    void renew();
    /// A function that passes one event to the state machine. Returns whether the state has
    /// changed.
    using Event = bool (*)(ConnectionMachine& machine, TimePoint now);
    /// Applies an event to the state machine and reports a change of the state.
    void step(Event event);
    /// Makes a change of the state visible to all threads, and reports the change.
    void publish();
    /// If nothing is left to wait for, enters the final state and reports the end to the user.
    void settle();

    static Error closing_error() { return {Errc::shutdown, "the client is being closed"}; }
    TimePoint now() const noexcept { return options_.time().now(); }
    std::shared_ptr<ConnectionKeeper> share() { return {owner_.share(), this}; }

    ConnectionOwner& owner_;
    boost::asio::any_io_executor executor_;
    ClientOptions const& options_;
    CurrentConnection& connection_;
    EventReports const& reports_;
    std::unique_ptr<Connector> connector_;
    ConnectionMachine machine_;
    std::atomic<ConnectionState> state_{ConnectionState::starting};
    std::atomic<std::uint64_t> connect_count_{0};
    mutable std::mutex mutex_;         // protects history_
    std::deque<StateChange> history_;  // at most history_limit entries
    std::optional<KnownServer> known_server_;
    std::optional<Error> loss_;  // why the last connection, or attempt to connect, has ended
    runtime::Event changed_;
    boost::asio::cancellation_signal give_up_;  // ends keep_connected()
    bool handed_out_ = false;
    bool keeping_ = false;   // whether keep_connected() is running
    bool released_ = true;   // whether the current connection has ended and is released
    bool reported_ = false;  // whether the end of the client was reported to the user
    bool stopping_ = false;
    bool awaits_idle_ = false;  // whether on_fewer_requests() has something to do
    bool renewing_ = false;     // whether the connection is replaced once no call is pending
};

}  // namespace lanyard::client
