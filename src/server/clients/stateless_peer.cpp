#include "server/clients/stateless_peer.hpp"

#include <algorithm>

#include "lanyard/protocol/methods.hpp"
#include "server/clients/negotiation.hpp"

namespace lanyard::server {

namespace {

// The number of clients whose metadata is cached.
constexpr std::size_t kept_metadata = 64;
// The maximum number of streams and subscribed resources of all clients together. The carrier's
// limit on connections limits the streams, too.
constexpr std::size_t max_subscriptions = 100'000;

struct NoWork final : rpc::InboundWork {
    void on_cancel(std::string_view) noexcept override {}
};

// Clients without a session get notifications only on streams.
constexpr ServerSubscriptions::SessionView no_session{};

}  // namespace

StatelessPeer::StatelessPeer(std::shared_ptr<ServerCore> core,
                             boost::asio::any_io_executor const& executor)
    : ServingGroup(std::move(core), executor, max_subscriptions),
      metadata_(*core_, kept_metadata),
      suspended_(core_->options().list_changed_interval()),
      alarm_(core_->time().make_alarm(executor, [this] { on_alarm(); })) {
    for (std::size_t i = 0; i < rpc::notified_list_count; ++i) {
        auto const kind = static_cast<rpc::NotifiedList>(i);
        suspended_.count_from(kind, core_->list_changes(kind));
    }
}

void StatelessPeer::handle(rpc::Envelope const& request,
                           std::shared_ptr<PeerInfo const> const& info, rpc::Responder& responder,
                           TimePoint received) {
    ++requests_;
    if (core_->stopping()) {
        responder.fail(wire::translate(wire::Condition::shutting_down, newest_version));
        return;
    }
    auto const metadata = metadata_.read(request);
    if (!metadata) {
        responder.fail(metadata.error());
        return;
    }
    auto const& sender = **metadata;
    Arrival const arrival{request, sender.version, sender.client, info, sender.log_level, received};
    auto const method = request.method;
    bool const unchecked = FeatureRequests::may_serve_unchecked(request);
    if (!unchecked) {
        if (auto const refused = check_offered(request, sender.version, nullptr)) {
            responder.fail(*refused);
            return;
        }
        if (method == methods::Discover::info.name) {
            discover(responder, sender.version);
            return;
        }
    }
    auto& served = take_call(served_);
    bool const streams = !unchecked && method == methods::SubscriptionsListen::info.name;
    auto const open_before = open_.value();
    try {
        if (streams) {
            serve_stream(*served.call, responder, arrival);
        } else if (open(served.responder, responder, arrival)) {
            served.responder.attach(served);
            if (unchecked) {
                features_.serve_unchecked(*served.call, served.responder, arrival);
            } else {
                features_.serve(*served.call, served.responder, arrival);
            }
        } else {
            served.call->dismiss();
        }
    } catch (...) {
        // Out of memory. The carrier ends the request.
        static NoWork none;
        responder.attach(none);
        if (!streams) {
            served.responder.give_up();
        } else if (open_.value() != open_before) {
            --open_;
        }
        calls_.drop(*served.call);
        throw;
    }
}

void StatelessPeer::serve_stream(Call& call, rpc::Responder& responder, Arrival const& arrival) {
    auto stream = std::make_unique<StatelessResponder>();
    if (open(*stream, responder, arrival)) {
        listen(arrival, call, std::move(stream));
    } else {
        call.dismiss();
    }
}

// Opens the responder. Returns false if the client has already disconnected.
bool StatelessPeer::open(StatelessResponder& responder, rpc::Responder& carrier,
                         Arrival const& arrival) {
    if (!responder.open(*this, carrier, arrival.envelope, arrival.version)) return false;
    ++open_;
    return true;
}

void StatelessPeer::on_ended(StatelessResponder& responder) noexcept {
    --open_;
    held_.remove(&responder);
}

void StatelessPeer::on_held(StatelessResponder& responder) {
    held_.add(&responder);
    rearm();
}

std::unique_ptr<rpc::Suspended> StatelessPeer::suspend(rpc::FrameSink& session,
                                                       rpc::SuspendingCarrier& carrier) {
    auto suspended = session.suspend();
    if (suspended) suspended_.add(static_cast<SuspendedSession&>(*suspended), carrier);
    return suspended;
}

std::unique_ptr<rpc::Suspended> StatelessPeer::assume_handshake(Version version) {
    return Negotiation::assume_handshake(*core_, version, now());
}

void StatelessPeer::list_changed(rpc::NotifiedList kind) {
    subscriptions_.list_changed(kind, no_session);
    subscriptions_.flush_streams();
    suspended_.list_changed(kind, core_->list_changes(kind), now());
    rearm();
}

void StatelessPeer::resource_updated(std::string_view uri) {
    subscriptions_.resource_updated(uri, no_session);
    subscriptions_.flush_streams();
    rearm();
}

void StatelessPeer::rearm() {
    auto const held = held_.next_due([](auto const* responder) { return responder->next_due(); });
    if (alarm_) {
        alarm_->set(std::min({calls_.next_deadline(), subscriptions_.next_due(),
                              suspended_.next_due(), last_moment_, held}));
    }
}

void StatelessPeer::on_alarm() {
    auto const moment = now();
    calls_.on_time(moment);
    subscriptions_.on_time(moment, no_session);
    subscriptions_.flush_streams();
    suspended_.on_time(moment);
    held_.send_due([moment](auto* responder) { return responder->on_time(moment); });
    if (last_moment_ <= moment) end_remaining_calls();
    rearm();
}

void StatelessPeer::shut_down(Duration grace) noexcept {
    last_moment_ = std::min(last_moment_, after(now(), grace));
    subscriptions_.end_streams();
    if (last_moment_ <= now()) end_remaining_calls();
    rearm();
}

void StatelessPeer::end_remaining_calls() {
    last_moment_ = never;
    for (auto const& served : served_) {
        if (!served->responder.active()) continue;
        auto error = wire::translate(wire::Condition::shutting_down, newest_version);
        error.may_have_run = true;
        served->responder.fail(error);
        served->call->cancel();
    }
}

void StatelessPeer::close() noexcept {
    calls_.mailbox()->close();
    alarm_.reset();
}

namespace {

/// Registers a StatelessPeer with the server, until the carrier releases the peer.
class PeerRegistration {
public:
    PeerRegistration(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor)
        : core_(std::move(core)), peer_(std::make_shared<StatelessPeer>(core_, executor)) {
        core_->add(peer_);
    }
    ~PeerRegistration() {
        core_->remove(*peer_);
        peer_->close();
    }
    PeerRegistration(PeerRegistration const&) = delete;
    PeerRegistration& operator=(PeerRegistration const&) = delete;

    StatelessPeer* peer() const noexcept { return peer_.get(); }

private:
    std::shared_ptr<ServerCore> core_;
    std::shared_ptr<StatelessPeer> peer_;
};

}  // namespace

std::shared_ptr<rpc::RequestEntry> open_entry(std::shared_ptr<ServerCore> core,
                                              boost::asio::any_io_executor const& executor) {
    if (auto* const loop = runtime::Loop::of(executor)) core->add(*loop);
    auto const registration = std::make_shared<PeerRegistration>(std::move(core), executor);
    // The carrier owns the registration, although its pointer refers to the peer.
    return {registration, registration->peer()};
}

}  // namespace lanyard::server
