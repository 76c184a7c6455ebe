#include "transport/stream_loop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "auth/credentials.hpp"
#include "auth/instant_verifier.hpp"
#include "base/deadline.hpp"
#include "jsonrpc/message_writer.hpp"
#include "lanyard/error.hpp"
#include "lanyard/protocol/logging.hpp"
#include "runtime/await_on.hpp"
#include "runtime/lane.hpp"
#include "sockets/local_socket.hpp"
#include "wire/errors.hpp"

namespace lanyard::transport {

namespace {

// The maximum time for which the socket of a connection stays open after this side has ended the
// connection. During this time the input is received and dropped, so that the client does not lose
// the last output.
constexpr Duration linger = std::chrono::seconds(2);
// The maximum number of refused clients that get an error message at the same time. Further
// connections are closed without one.
constexpr std::size_t max_leaving = 64;

// Sends the client an error with the reason why it is not served.
void refuse(Transport& transport, wire::Condition condition, std::string_view why) {
    auto const error = wire::translate(condition, newest_version, {.message = why});
    rpc::Outbox outbox;
    rpc::append_error(outbox.begin(), rpc::MissingId::null, error.text());
    outbox.end();
    transport.write_now(outbox);
}

}  // namespace

// Counts a connection as long as this object exists, either as served, or as leaving (refused and
// being closed).
class StreamLoop::Place {
public:
    enum class Kind { served, leaving };

    Place(std::shared_ptr<StreamLoop> loop, Kind kind) : loop_(std::move(loop)), kind_(kind) {
        ++count();
    }
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place() {
        if (!loop_) return;
        --count();
        if (kind_ == Kind::served) loop_->shared_->open.fetch_sub(1, std::memory_order_relaxed);
        loop_->changed_.notify();
    }

private:
    std::size_t& count() const noexcept {
        return kind_ == Kind::served ? loop_->serving_ : loop_->leaving_;
    }

    std::shared_ptr<StreamLoop> loop_;
    Kind kind_;
};

/// A transport that is registered with its loop while it exists, so that the loop can close it.
class AcceptedTransport final : public SocketTransport {
public:
    AcceptedTransport(std::shared_ptr<StreamLoop> loop, Descriptor socket, SocketSetup setup)
        : SocketTransport(loop->executor(), std::move(socket), std::move(setup)),
          loop_(std::move(loop)),
          place_(loop_->transports_.insert(loop_->transports_.end(), this)) {}
    ~AcceptedTransport() override { loop_->transports_.erase(place_); }

    std::shared_ptr<PeerInfo const> peer_info(std::uint64_t) const override {
        auto info = std::make_shared<PeerInfo>();
        info->transport = loop_->shared_->kind;
        info->identity = identity_;
        info->address = address_;
        return info;
    }
    TransportTraits traits() const noexcept override {
        auto traits = SocketTransport::traits();
        traits.ends_at_noise = true;
        return traits;
    }
    rpc::EnvelopeReader* shared_reader() noexcept override { return &loop_->reader_; }

    void admitted(std::string identity) {
        identity_ = std::move(identity);
        opening_ = false;
    }
    bool opening() const noexcept { return opening_; }
    void came_from(std::string address) { address_ = std::move(address); }

private:
    std::shared_ptr<StreamLoop> loop_;
    StreamLoop::Transports::iterator place_;
    std::string identity_;
    std::string address_;
    bool opening_ = true;
};

StreamLoop::StreamLoop(boost::asio::any_io_executor executor, std::shared_ptr<StreamShared> shared,
                       Endpoint& endpoint)
    : executor_(std::move(executor)),
      shared_(std::move(shared)),
      endpoint_(endpoint),
      time_(shared_->options.time() != nullptr ? *shared_->options.time() : endpoint.time()),
      buffers_(std::make_shared<ReadBuffers>(shared_->options.socket().read_buffer_bytes())),
      alarm_(time_.make_alarm(executor_, [this] { close(); })),
      changed_(executor_) {}

StreamLoop::~StreamLoop() = default;

void StreamLoop::record(LoggingLevel level, std::string_view text) const noexcept {
    endpoint_.record(level, text);
}

void StreamLoop::accept_from(Descriptor socket) {
    auto const take = [self = shared_from_this()](int accepted, sockets::PeerName peer) {
        self->add(Descriptor(accepted), std::move(peer));
    };
    auto const log = [self = shared_from_this()](std::string_view text) {
        self->record(LoggingLevel::warning, text);
    };
    auto const drop = [self = shared_from_this()] {
        self->shared_->dropped.fetch_add(1, std::memory_order_relaxed);
    };
    acceptors_.push_back(
        std::make_shared<sockets::Acceptor>(executor_, std::move(socket), time_, take, log, drop));
    acceptors_.back()->start();
}

std::unique_ptr<AcceptedTransport> StreamLoop::make_transport(Descriptor socket, std::string peer) {
    auto const& options = shared_->options;
    // The initialization of the aggregate must not throw: g++ 12 destroys the members that are
    // already initialized twice.
    TransportInfo info;
    info.kind = shared_->kind;
    info.peer = std::move(peer);
    SocketSetup setup{.info = std::move(info),
                      .max_message_bytes = options.socket().max_message_bytes(),
                      .buffers = buffers_,
                      .time = time_};
    setup.idle_limit = options.idle_expiry();
    setup.linger = linger;
    setup.expects_authorization = true;
    setup.message_budget = shared_->messages;
    setup.message_timeout = options.message_timeout();
    if (shared_->tls) setup.tls = std::make_unique<sockets::TlsEngine>(shared_->tls->current());
    return std::make_unique<AcceptedTransport>(shared_from_this(), std::move(socket),
                                               std::move(setup));
}

void StreamLoop::add(Descriptor socket, sockets::PeerName peer) {
    shared_->accepted.fetch_add(1, std::memory_order_relaxed);
    auto name = shared_->kind == "unix" ? sockets::local_peer_name(socket.get()) : peer.text;
    if (shared_->tls) {
        if (auto const reloaded = shared_->tls->check(time_.now()); reloaded && !*reloaded) {
            record(LoggingLevel::error, reloaded->error().message());
        }
    }
    try {
        // The connection is counted before the check, so that two threads cannot both take the last
        // place.
        if (stopping_ || shared_->open.fetch_add(1, std::memory_order_relaxed) >=
                             shared_->options.max_connections()) {
            if (!stopping_) shared_->open.fetch_sub(1, std::memory_order_relaxed);
            turn_away(std::move(socket), std::move(name));
            return;
        }
        Place place(shared_from_this(), Place::Kind::served);
        auto transport = make_transport(std::move(socket), std::move(name));
        transport->came_from(std::move(peer.address));
        if (shared_->tls || shared_->options.verifier()) {
            run(admit_and_serve(shared_from_this(), std::move(transport)), std::move(place));
        } else {
            transport->admitted({});
            run(endpoint_.serve(std::move(transport)), std::move(place));
        }
    } catch (std::exception const& error) {
        // Out of memory or descriptors; the other connections continue.
        record(LoggingLevel::error, error.what());
    }
}

void StreamLoop::run(Task<> connection, Place place) {
    auto ended = [self = shared_from_this(),
                  kept = std::move(place)](std::exception_ptr const& failure) {
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (std::exception const& error) {
            self->record(LoggingLevel::error, error.what());
        } catch (...) {
            self->record(LoggingLevel::error, "a connection failed");
        }
    };
    boost::asio::co_spawn(executor_, std::move(connection), std::move(ended));
}

void StreamLoop::turn_away(Descriptor socket, std::string peer) {
    shared_->turned_away.fetch_add(1, std::memory_order_relaxed);
    // With TLS, an error could be sent only after a handshake, so the connection is just closed.
    if (shared_->tls || leaving_ >= max_leaving) return;
    Place place(shared_from_this(), Place::Kind::leaving);
    auto transport = make_transport(std::move(socket), std::move(peer));
    refuse(*transport, stopping_ ? wire::Condition::shutting_down : wire::Condition::overloaded,
           stopping_ ? "the server is stopping" : "the server has too many connections");
    run(send_close(std::move(transport)), std::move(place));
}

Task<> StreamLoop::send_close(std::unique_ptr<AcceptedTransport> transport) {
    transport->close();
    co_await transport->closed();
}

Task<> StreamLoop::admit_and_serve(std::shared_ptr<StreamLoop> self,
                                   std::unique_ptr<AcceptedTransport> transport) {
    bool admitted = false;
    try {
        admitted = co_await self->admit(*transport);
    } catch (std::exception const& error) {
        self->shared_->failed.fetch_add(1, std::memory_order_relaxed);
        self->record(LoggingLevel::info,
                     "a connection of " + transport->info().peer + " failed: " + error.what());
    }
    if (!admitted) {
        transport->close();
        co_await transport->closed();
        co_return;
    }
    co_await self->endpoint_.serve(std::move(transport));
}

Task<bool> StreamLoop::admit(AcceptedTransport& transport) {
    auto const& options = shared_->options;
    bool late = false;
    auto const give_up = [&transport, &late] {
        late = true;
        transport.close();
    };
    auto const alarm = time_.make_alarm(executor_, give_up);
    alarm->set(after(time_.now(), options.opening_timeout()));
    co_await transport.handshake();
    if (!options.verifier()) {
        transport.admitted(transport.certificate());
        co_return true;
    }
    bool const verified = co_await verify(transport);
    if (late) throw Error(Errc::timeout, "it was not opened in time");
    co_return verified;
}

Task<bool> StreamLoop::verify(AcceptedTransport& transport) {
    auto const verifier = shared_->options.verifier();
    bool const spoke = co_await transport.first_message();
    if (!spoke) co_return false;
    auto const certificate = transport.certificate();
    auto const peer = transport.info().peer;
    Credentials credentials;
    credentials.bearer = auth::bearer_of(transport.authorization()).value_or("");
    credentials.certificate = certificate;
    credentials.peer = peer;
    std::shared_ptr<Principal const> principal;
    try {
        auto const on = runtime::user_executor(executor_, shared_->verifier_code);
        auto asking = auth::ask_verifier(verifier, credentials);
        auto running = runtime::await_on(on, std::move(asking));
        auto const verification = co_await std::move(running);
        principal = verification->principal();
    } catch (std::exception const& error) {
        record(LoggingLevel::error, "a verifier failed: " + std::string(error.what()));
    }
    if (!principal) {
        shared_->unauthorized.fetch_add(1, std::memory_order_relaxed);
        refuse(transport, wire::Condition::unauthorized, "the server does not know this client");
        co_return false;
    }
    transport.admitted(principal->identity());
    co_return true;
}

void StreamLoop::stop(Duration grace) {
    if (!stopping_) {
        stopping_ = true;
        for (auto const& acceptor : acceptors_) acceptor->stop();
        acceptors_.clear();
        alarm_->set(after(time_.now(), grace));
        // Clients that have not been admitted yet are closed at once.
        for (auto* const transport : Transports(transports_)) {
            if (transport->opening()) transport->close();
        }
    }
    changed_.notify();
}

Task<> StreamLoop::ended() {
    while (!stopping_ || serving_ > 0 || leaving_ > 0) co_await changed_.wait();
    alarm_->set(TimePoint::max());
}

void StreamLoop::close() noexcept {
    stopping_ = true;
    for (auto const& acceptor : acceptors_) acceptor->stop();
    acceptors_.clear();
    for (auto* const transport : Transports(transports_)) transport->cut();
    changed_.notify();
}

}  // namespace lanyard::transport
