#include "client/session/connection_keeper.hpp"

#include <new>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/at_end.hpp"
#include "base/deadline.hpp"
#include "runtime/cancelled_by.hpp"

namespace lanyard::client {

namespace {

// Converts any exception, because a connector is user code and may throw anything.
Error to_error(std::exception_ptr const& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (Error const& error) {
        return error;
    } catch (std::exception const& exception) {
        return {Errc::unavailable, exception.what()};
    } catch (...) {
        return {Errc::unavailable, "the connector threw something unknown"};
    }
}

// Drops the connection in the destructor, unless keep() was called.
class DropUnlessKept {
public:
    explicit DropUnlessKept(CurrentConnection& connection) : connection_(&connection) {}
    ~DropUnlessKept() {
        if (connection_ != nullptr) connection_->drop({});
    }
    DropUnlessKept(DropUnlessKept const&) = delete;
    DropUnlessKept& operator=(DropUnlessKept const&) = delete;

    void keep() noexcept { connection_ = nullptr; }

private:
    CurrentConnection* connection_;
};

}  // namespace

ConnectionKeeper::ConnectionKeeper(ConnectionOwner& owner, boost::asio::any_io_executor executor,
                                   ClientOptions const& options, CurrentConnection& connection,
                                   EventReports const& reports)
    : owner_(owner),
      executor_(std::move(executor)),
      options_(options),
      connection_(connection),
      reports_(reports),
      machine_(options.reconnect(), options.random()),
      known_server_(options.known_server()),
      changed_(executor_) {}

// Opening connections

void ConnectionKeeper::set_connector(std::unique_ptr<Connector> connector) {
    connector_ = std::move(connector);
    if (!connector_) {
        machine_.never_reconnect();
    } else if (connector_->starts_peer()) {
        machine_.limit_restarts();
    }
}

Task<> ConnectionKeeper::open(std::unique_ptr<Transport> transport) {
    auto const self = share();
    step([](ConnectionMachine& machine, TimePoint) { return machine.opened(); });
    if (machine_.state() != ConnectionState::initializing) throw closing_error();
    DropUnlessKept guard(connection_);
    attach(std::move(transport));
    std::optional<Error> failure;
    try {
        co_await owner_.negotiate();
    } catch (Error const& error) {
        failure = error;
    }
    if (!failure) {
        guard.keep();
        co_return;
    }
    if (failure->is(Errc::cancelled)) throw *failure;
    connection_.drop({});
    co_await released();
    // How a child process ended is known only now, so the error is created here. Over HTTP, the
    // error of the failed request already contains the reason.
    bool const ended = failure->is(Errc::transport_down) || failure->is(Errc::closed);
    if (ended && !connection_.speaks_http()) {
        throw connection_.end_error(Errc::transport_down, "the server ended before it was ready");
    }
    throw *failure;
}

void ConnectionKeeper::attach(std::unique_ptr<Transport> transport) {
    connection_.replace(std::move(transport), machine_.longest_wait());
    released_ = false;
    renewing_ = false;
    try {
        boost::asio::co_spawn(executor_, serve(share()), boost::asio::detached);
    } catch (...) {
        released_ = true;
        throw;
    }
}

Task<> ConnectionKeeper::serve(std::shared_ptr<ConnectionKeeper> self) {
    auto const connection = self->connection_.shared();
    try {
        co_await connection->run();
    } catch (std::exception const&) {
        // Out of memory: the connection has not run to its end, so its requests end here.
        connection->close(rpc::Outcome::connection_lost);
        connection->peer().on_closed(rpc::Outcome::connection_lost, self->now());
    }
    self->on_released();
}

Task<> ConnectionKeeper::reopen(std::string_view what) {
    co_await released();
    if (!connector_ || connection_.is_refused()) {
        throw connection_.end_error(Errc::transport_down, what);
    }
    auto opening = open_transport();
    auto transport = co_await std::move(opening);
    attach(std::move(transport));
}

Task<std::unique_ptr<Transport>> ConnectionKeeper::open_transport() {
    auto opening = connector_->open();
    auto transport = co_await std::move(opening);
    if (transport->executor() != executor_) {
        throw Error(Errc::invalid_argument, "the connector opens connections on another executor");
    }
    co_return transport;
}

void ConnectionKeeper::on_established(KnownServer const& server) {
    known_server_ = server;
    step([](ConnectionMachine& machine, TimePoint now) { return machine.established(now); });
}

// Reconnecting

void ConnectionKeeper::hand_out() {
    handed_out_ = true;
    bool const is_opened = machine_.state() != ConnectionState::starting;
    if (is_opened && !reconnects()) {
        settle();
        return;
    }
    keeping_ = true;
    auto ended = [self = share()](std::exception_ptr const&) {
        self->keeping_ = false;
        self->changed_.notify();
        self->settle();
    };
    try {
        boost::asio::co_spawn(executor_, keep_connected(share()),
                              runtime::cancelled_by(give_up_.slot(), std::move(ended)));
    } catch (...) {
        keeping_ = false;
        close();
        throw;
    }
}

Task<> ConnectionKeeper::keep_connected(std::shared_ptr<ConnectionKeeper> self) {
    // If memory runs out, the client would not connect again, so it closes.
    AtEnd const close([&self] {
        self->keeping_ = false;
        self->step([](ConnectionMachine& machine, TimePoint) { return machine.close(); });
        self->connection_.close();
        self->changed_.notify();
        self->settle();
    });
    for (;;) {
        co_await self->wait_for_attempt();
        if (self->machine_.state() != ConnectionState::starting) co_return;
        std::optional<Error> failure;
        try {
            auto opening = self->open_transport();
            auto transport = co_await std::move(opening);
            auto negotiating = self->open(std::move(transport));
            co_await std::move(negotiating);
        } catch (...) {
            failure = to_error(std::current_exception());
        }
        if (!failure) continue;
        // Drops the remembered protocol version, because a wrong version may have caused the
        // failure.
        self->known_server_.reset();
        self->on_lost(*failure);
    }
}

// Completes when a connection must be opened (state `starting`). Also completes when the client is
// closing or has ended, because no connection must be opened any more.
Task<> ConnectionKeeper::wait_for_attempt() {
    while (machine_.state() == ConnectionState::ready ||
           machine_.state() == ConnectionState::backoff) {
        step([](ConnectionMachine& machine, TimePoint now) { return machine.on_time(now); });
        if (machine_.state() == ConnectionState::starting) break;
        co_await changed_.wait_until(options_.time(), machine_.next_attempt());
    }
    // Waits until the previous connection is released, so that a child process is not started
    // before the previous one has ended.
    while (machine_.state() == ConnectionState::starting && !released_) co_await changed_.wait();
}

void ConnectionKeeper::on_connection_ended() {
    auto const& failure = connection_.shared()->failure();
    if (failure && failure->is(Errc::busy)) reports_.limits().add(&ClientLimitCounts::unread);
    // If the connection is still being opened, the coroutine that opens it handles the failure.
    if (machine_.state() != ConnectionState::ready) return;
    on_lost(connection_.end_error(Errc::transport_down, "the connection has ended"));
}

void ConnectionKeeper::on_lost(Error const& reason) {
    loss_ = reason;
    if (connection_.phase() != rpc::ClientPhase::error) {
        connection_.enter(rpc::ClientPhase::error, reason.message());
    }
    step([](ConnectionMachine& machine, TimePoint now) { return machine.lost(now); });
}

void ConnectionKeeper::on_released() {
    released_ = true;
    // How a child process ended is known only now, so the reason is determined again.
    bool const lost =
        machine_.state() == ConnectionState::backoff || machine_.state() == ConnectionState::failed;
    if (lost) loss_ = connection_.end_error(Errc::transport_down, "the connection has ended");
    changed_.notify();
    settle();
}

// Renewing: replacing a working connection before the ids of its requests are used up

void ConnectionKeeper::on_ids_used(rpc::IdNotice notice) {
    switch (notice) {
        case rpc::IdNotice::used_80_percent:
            reports_.diagnose("80 % of the request ids are used");
            break;
        case rpc::IdNotice::used_90_percent:
            reports_.diagnose("90 % of the request ids are used");
            break;
        case rpc::IdNotice::reconnect_needed:
            if (!reconnects()) {
                reports_.diagnose(
                    "96 % of the request ids are used, and the client cannot reconnect");
                break;
            }
            reports_.diagnose("96 % of the request ids are used: the client reconnects when idle");
            renewing_ = true;
            awaits_idle_ = true;
            on_fewer_requests();
            break;
        case rpc::IdNotice::none:
            break;
    }
}

void ConnectionKeeper::on_ids_used_up() {
    if (connection_.peer().has_ids()) return;  // the connection was replaced meanwhile
    renew();
}

bool ConnectionKeeper::has_pending_calls() const {
    return connection_.peer().pending_count() > owner_.lasting_requests();
}

void ConnectionKeeper::on_fewer_requests() {
    if (stopping_) changed_.notify();
    if (!renewing_ || !is_ready() || has_pending_calls()) return;
    // The renewal is posted, because this function is called while the last request is still
    // ending.
    try {
        boost::asio::post(executor_, [self = share()] {
            if (self->renewing_ && self->is_ready() && !self->has_pending_calls()) self->renew();
        });
    } catch (std::bad_alloc const&) {
        return;  // tried again when the next request has ended
    }
}

void ConnectionKeeper::renew() {
    if (!is_ready() || !reconnects() || stopping_) return;
    constexpr std::string_view reason = "the ids of requests start again on a new connection";
    reports_.limits().add(&ClientLimitCounts::renewed);
    loss_ = Error(Errc::transport_down, std::string(reason));
    connection_.enter(rpc::ClientPhase::error, reason);
    step([](ConnectionMachine& machine, TimePoint now) { return machine.renewed(now); });
    connection_.drop(reason);
}

// States

void ConnectionKeeper::step(Event event) {
    if (!event(machine_, now())) return;
    connect_count_.store(machine_.connect_count(), std::memory_order_relaxed);
    publish();
    changed_.notify();
}

void ConnectionKeeper::publish() {
    auto const from = state();
    // From the beginning of stop(), the user sees `closing`, although pending calls may still end.
    auto const to =
        stopping_ && !machine_.has_ended() ? ConnectionState::closing : machine_.state();
    if (from == to) return;
    state_.store(to, std::memory_order_relaxed);
    if (to == ConnectionState::failed && reconnects()) {
        reports_.limits().add(&ClientLimitCounts::given_up);
    }
    bool const lost = to == ConnectionState::backoff || to == ConnectionState::failed;
    std::optional<Error> const reason = lost ? loss_ : std::nullopt;
    try {
        std::scoped_lock const lock(mutex_);
        if (history_.size() == history_limit) history_.pop_front();
        history_.push_back({from, to, options_.time().wall(), reason});
    } catch (std::bad_alloc const&) {
        // The history is incomplete.
    }
    auto const report = [](ClientObserver& observer, ConnectionState before, ConnectionState after,
                           std::optional<Error> const& why) {
        observer.on_state(before, after, why);
    };
    reports_.observe(report, from, to, reason);
}

std::vector<StateChange> ConnectionKeeper::history() const {
    std::scoped_lock const lock(mutex_);
    return {history_.begin(), history_.end()};
}

void ConnectionKeeper::settle() {
    if (!released_ || keeping_) return;
    step([](ConnectionMachine& machine, TimePoint) { return machine.released(); });
    if (!machine_.has_ended() || !handed_out_ || reported_) return;
    reported_ = true;
    owner_.on_ended();
    connection_.enter(rpc::ClientPhase::closed);
    bool const failed = machine_.state() == ConnectionState::failed;
    reports_.report_closed(failed ? loss_ : std::nullopt);
}

Result<void> ConnectionKeeper::check_ready() const {
    auto const because = [this](Errc code, std::string message) {
        if (loss_) message.append(": ").append(loss_->message());
        return Unexpected(Error(code, std::move(message)));
    };
    switch (machine_.state()) {
        case ConnectionState::ready:
            break;
        case ConnectionState::starting:
        case ConnectionState::initializing:
            return because(Errc::unavailable, "the client is connecting");
        case ConnectionState::backoff:
            return because(Errc::unavailable, "the client waits before it connects again");
        case ConnectionState::closing:
            return Unexpected(closing_error());
        case ConnectionState::closed:
            return Unexpected(Error(Errc::closed, "the client was closed"));
        case ConnectionState::failed:
            if (machine_.has_given_up()) {
                return because(Errc::failed, "the client has given up reconnecting");
            }
            return Unexpected(Error(Errc::closed, loss_->message()));
    }
    // The connection has ended, but the state has not changed yet.
    if (!connection_.is_open()) {
        return Unexpected(connection_.end_error(Errc::unavailable, "the connection has ended"));
    }
    return {};
}

Task<> ConnectionKeeper::await_ready(Duration timeout, std::stop_token stop) {
    auto const self = share();
    auto const deadline = after(now(), timeout);
    auto const wake_from_anywhere = [self]() noexcept {
        try {
            boost::asio::post(self->executor_, [self] { self->changed_.notify(); });
        } catch (...) {
            // Out of memory: the stop request is noticed only when the timeout expires.
        }
    };
    std::stop_callback const on_stop(stop, wake_from_anywhere);
    bool waited = false;
    while (machine_.state() != ConnectionState::ready) {
        bool const closed_meanwhile =
            waited && machine_.state() != ConnectionState::failed && !machine_.may_become_ready();
        if (stopping_ || closed_meanwhile) throw closing_error();
        if (!machine_.may_become_ready()) check_ready().value();
        if (stop.stop_requested()) throw Error(Errc::cancelled, "the call was cancelled");
        if (now() >= deadline) {
            std::string message = "the client is not ready in time";
            if (loss_) message.append(": ").append(loss_->message());
            throw Error(Errc::timeout, std::move(message));
        }
        co_await changed_.wait_until(options_.time(), deadline);
        waited = true;
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (state.cancelled() != boost::asio::cancellation_type::none) {
            throw Error(Errc::cancelled, "waiting was cancelled");
        }
    }
}

// The end

void ConnectionKeeper::refuse_calls() {
    stopping_ = true;
    awaits_idle_ = true;
    publish();
    changed_.notify();
}

Task<> ConnectionKeeper::stop(Duration grace) {
    auto const self = share();
    auto const deadline = after(now(), grace);
    {
        // The destructor closes the client even if the waiting coroutine is destroyed.
        struct Closer {
            ConnectionKeeper& keeper;
            ~Closer() { keeper.close(); }
        } const closer{*this};
        while (is_ready() && connection_.peer().pending_count() > 0 && now() < deadline) {
            co_await changed_.wait_until(options_.time(), deadline);
        }
    }
    co_await closed();
}

void ConnectionKeeper::close() noexcept {
    step([](ConnectionMachine& machine, TimePoint) { return machine.close(); });
    if (machine_.state() != ConnectionState::closing) return;
    connection_.close();
    give_up_.emit(boost::asio::cancellation_type::terminal);
    settle();
}

Task<> ConnectionKeeper::released() {
    auto const self = share();
    while (!released_) co_await changed_.wait();
}

Task<> ConnectionKeeper::closed() {
    auto const self = share();
    while (!machine_.has_ended() || !released_ || keeping_) co_await changed_.wait();
}

}  // namespace lanyard::client
