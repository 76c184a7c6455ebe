// How a session opens its connections: the first one, and a new one whenever a connection is lost.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/client_session.hpp"
#include "client/on_executor.hpp"

namespace lanyard::client {

namespace {

Task<> open_first(std::shared_ptr<ClientSession> session, std::unique_ptr<Transport> transport) {
    auto opening = session->open(std::move(transport));
    co_await std::move(opening);
    session->hand_out();
}

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

}  // namespace

void ClientSession::set_connector(std::unique_ptr<Connector> connector) {
    connector_ = std::move(connector);
    if (!connector_) {
        machine_.never_reconnect();
    } else if (connector_->starts_peer()) {
        machine_.limit_restarts();
    }
}

void ClientSession::hand_out() {
    handed_out_ = true;
    bool const is_opened = machine_.state() != ConnectionState::starting;
    if (is_opened && !reconnects()) {
        settle();
        return;
    }
    keeping_ = true;
    auto ended = [self = shared_from_this()](std::exception_ptr const&) {
        self->keeping_ = false;
        self->changed_.notify();
        self->settle();
    };
    boost::asio::co_spawn(executor_, keep_connected(shared_from_this()),
                          boost::asio::bind_cancellation_slot(give_up_.slot(), std::move(ended)));
}

Task<> ClientSession::keep_connected(std::shared_ptr<ClientSession> self) {
    for (;;) {
        co_await self->wait_for_attempt();
        if (self->machine_.state() != ConnectionState::starting) co_return;
        std::optional<Error> failure;
        try {
            co_await self->connect_again();
        } catch (...) {
            failure = to_error(std::current_exception());
        }
        if (!failure) continue;
        // Forgets the remembered version, because a wrong version may have caused the failure.
        self->known_server_.reset();
        self->on_lost(*failure);
    }
}

// Completes when a connection is to be opened, or when there is nothing more to do.
Task<> ClientSession::wait_for_attempt() {
    while (machine_.state() == ConnectionState::ready ||
           machine_.state() == ConnectionState::backoff) {
        step([](ConnectionMachine& machine, TimePoint now) { return machine.on_time(now); });
        if (machine_.state() == ConnectionState::starting) break;
        co_await changed_.wait_until(options_->time(), machine_.next_attempt());
    }
    // Waits until the previous connection is released, so that a child process is not started
    // before the previous one has ended.
    while (machine_.state() == ConnectionState::starting && !released_) co_await changed_.wait();
}

Task<> ClientSession::connect_again() {
    auto opening = connector_->open();
    auto transport = co_await std::move(opening);
    if (transport->executor() != executor_) {
        throw Error(Errc::invalid_argument, "the connector opens connections on another executor");
    }
    auto negotiating = open(std::move(transport));
    co_await std::move(negotiating);
}

Task<std::shared_ptr<ClientSession>> open_session(std::unique_ptr<Transport> transport,
                                                  std::unique_ptr<Connector> connector,
                                                  ClientOptions options) {
    version_options(options);
    if (!transport) {
        auto opening = connector->open();
        transport = co_await std::move(opening);
    }
    auto const session = std::make_shared<ClientSession>(transport->executor(), options);
    session->set_connector(std::move(connector));
    auto opening = open_first(session, std::move(transport));
    co_await on_executor(session, std::move(opening));
    co_return session;
}

Client start_client_on(boost::asio::any_io_executor executor, std::unique_ptr<Connector> connector,
                       ClientOptions const& options) {
    auto session = std::make_shared<ClientSession>(std::move(executor), options);
    session->set_connector(std::move(connector));
    session->hand_out();
    return Lease::open(std::move(session));
}

}  // namespace lanyard::client
