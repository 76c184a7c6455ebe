#include "server/peer/port.hpp"

#include <algorithm>

#include "lanyard/protocol/methods.hpp"

namespace lanyard::server {

namespace {

// The number of clients whose metadata is cached.
constexpr std::size_t kept_metadata = 64;
// The maximum number of streams and resources that all clients together may subscribe to; the
// carrier's limit on connections limits the streams, too.
constexpr std::size_t max_subscriptions = 100'000;

// Clients without a session get notifications only on streams.
constexpr Subscriptions::SessionView no_session{};

}  // namespace

Port::Port(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor)
    : PeerGroup(std::move(core), executor, max_subscriptions),
      metadata_(*core_, kept_metadata),
      alarm_(core_->time().make_alarm(executor, [this] { on_alarm(); })) {
    for (std::size_t i = 0; i < rpc::list_kind_count; ++i) {
        auto const kind = static_cast<rpc::ListKind>(i);
        resting_.count_from(kind, core_->list_changes(kind));
    }
}

void Port::handle(rpc::Envelope const& request, std::shared_ptr<PeerFacts const> const& facts,
                  rpc::Exchange& exchange, TimePoint received) {
    // No atomic addition is needed: only this thread writes the counter, and others read it.
    requests_.store(requests_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (stopping_) {
        exchange.fail(wire::translate(wire::Condition::shutting_down, newest_version));
        return;
    }
    auto const metadata = metadata_.read(request);
    if (!metadata) {
        exchange.fail(metadata.error());
        return;
    }
    auto const& said = **metadata;
    Arrival const arrival{request, said.version, said.client, facts, said.log_level, received};
    auto const method = request.method;
    // A fast path for the most frequent request. It does not need check_offered(), because a tool
    // that is found is offered.
    bool const is_call = method == methods::CallTool::info.name;
    if (!is_call) {
        if (auto const refused = check_offered(request, said.version, nullptr)) {
            exchange.fail(*refused);
            return;
        }
        if (method == methods::Discover::info.name) {
            discover(exchange, said.version);
            return;
        }
    }
    auto& served = take_call(served_);
    if (!is_call && method == methods::SubscriptionsListen::info.name) {
        auto stream = std::make_unique<StandaloneExchange>();
        if (open(*stream, exchange, arrival)) {
            listen(arrival, *served.call, std::move(stream));
        } else {
            served.call->dismiss();
        }
    } else if (open(served.exchange, exchange, arrival)) {
        served.exchange.attach(served);
        if (is_call) {
            features_.call_tool(*served.call, served.exchange, arrival);
        } else {
            features_.serve(*served.call, served.exchange, arrival);
        }
    } else {
        served.call->dismiss();
    }
}

// Opens the exchange. Returns false if the client has already disconnected.
bool Port::open(StandaloneExchange& exchange, rpc::Exchange& carrier, Arrival const& arrival) {
    if (!exchange.open(*this, carrier, arrival.envelope, arrival.version)) return false;
    open_.store(open_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return true;
}

void Port::on_ended(StandaloneExchange& exchange) noexcept {
    open_.store(open_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    if (!held_.empty()) std::erase(held_, &exchange);
}

void Port::on_held(StandaloneExchange& exchange) {
    if (std::find(held_.begin(), held_.end(), &exchange) == held_.end()) held_.push_back(&exchange);
    rearm();
}

std::unique_ptr<rpc::Rested> Port::rest(rpc::FrameSink& session, rpc::RestingCarrier& carrier) {
    auto rested = session.rest();
    if (rested) resting_.add(static_cast<RestedSession&>(*rested), carrier);
    return rested;
}

void Port::list_changed(rpc::ListKind kind) {
    subscriptions_.list_changed(kind, no_session);
    subscriptions_.flush_streams();
    resting_.list_changed(kind, core_->list_changes(kind), now());
    rearm();
}

void Port::resource_updated(std::string_view uri) {
    subscriptions_.resource_updated(uri, no_session);
    subscriptions_.flush_streams();
    rearm();
}

void Port::rearm() {
    auto next = std::min(
        {calls_.next_deadline(), subscriptions_.next_due(), resting_.next_due(), last_moment_});
    for (auto const* const exchange : held_) next = std::min(next, exchange->next_due());
    if (alarm_) alarm_->set(next);
}

void Port::on_alarm() {
    auto const moment = now();
    calls_.on_time(moment);
    subscriptions_.on_time(moment, no_session);
    subscriptions_.flush_streams();
    resting_.on_time(moment);
    std::erase_if(
        held_, [moment](auto* const exchange) { return exchange->on_time(moment) == rpc::never; });
    if (last_moment_ <= moment) end_rest();
    rearm();
}

void Port::shut_down(Duration grace) {
    stopping_ = true;
    last_moment_ = std::min(last_moment_, rpc::after(now(), grace));
    subscriptions_.end_streams();
    if (last_moment_ <= now()) end_rest();
    rearm();
}

void Port::end_rest() {
    last_moment_ = rpc::never;
    for (auto const& served : served_) {
        if (!served->exchange.active()) continue;
        served->exchange.fail(wire::translate(wire::Condition::shutting_down, newest_version));
        served->call->cancel();
    }
}

void Port::close() noexcept {
    calls_.mailbox()->close();
    alarm_.reset();
}

namespace {

/// Registers a port with the server for as long as the carrier owns it.
class OpenPort final : public rpc::RequestPort {
public:
    OpenPort(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor)
        : core_(std::move(core)), port_(std::make_shared<Port>(core_, executor)) {
        core_->add(port_);
    }
    ~OpenPort() override {
        core_->remove(*port_);
        port_->close();
    }
    OpenPort(OpenPort const&) = delete;
    OpenPort& operator=(OpenPort const&) = delete;

    void handle(rpc::Envelope const& request, std::shared_ptr<PeerFacts const> const& facts,
                rpc::Exchange& exchange, TimePoint received) override {
        port_->handle(request, facts, exchange, received);
    }
    void stop(Duration grace) noexcept override { port_->shut_down(grace); }
    std::size_t in_flight() const noexcept override { return port_->in_flight(); }
    std::unique_ptr<rpc::Rested> rest(rpc::FrameSink& session,
                                      rpc::RestingCarrier& carrier) override {
        return port_->rest(session, carrier);
    }

private:
    std::shared_ptr<ServerCore> core_;
    std::shared_ptr<Port> port_;
};

}  // namespace

std::unique_ptr<rpc::RequestPort> open_port(std::shared_ptr<ServerCore> core,
                                            boost::asio::any_io_executor const& executor) {
    return std::make_unique<OpenPort>(std::move(core), executor);
}

}  // namespace lanyard::server
