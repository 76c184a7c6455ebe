// The parts of ServerSession that report what the client does: to the user's handlers, and in
// counts and lists.
#include "lanyard/protocol/methods.hpp"
#include "peer/phase_rules.hpp"
#include "server/clients/server_session.hpp"

namespace lanyard::server {

namespace {

// The maximum length of a method name in a log line.
constexpr std::size_t max_logged_name = 200;

}  // namespace

void ServerSession::on_phase() {
    publish();
    // If the session was suspended, only this object ends. The session itself continues, so the
    // phase `closed` of this object is not reported.
    if (suspended_ || calls_.settings().on_phase.empty()) return;
    events().add(info());
}

ClientEvents& ServerSession::events() {
    if (!events_) events_ = std::make_shared<ClientEvents>(core_, *info_);
    return *events_;
}

// Adds the counts of this connection to those of the server. Called after rare events only.
void ServerSession::note_counts() noexcept {
    auto const& peer = connection_.peer();
    auto const requests = peer.request_counters();
    auto const& inbound = peer.inbound_counters();
    auto const note = [this](std::uint64_t LimitCounts::* which, std::uint64_t& noted,
                             std::uint64_t count) {
        core_->limits().add(which, count - std::exchange(noted, count));
    };
    note(&LimitCounts::late_answers, noted_.late, requests.late_answers);
    note(&LimitCounts::unknown_answers, noted_.unknown, requests.unknown_answers);
    note(&LimitCounts::evicted_requests, noted_.evicted, peer.evicted());
    note(&LimitCounts::refused_messages, noted_.refused,
         peer.refused() + inbound.duplicate_ids + inbound.refused_for_room);
}

void ServerSession::list_pending(std::vector<UnansweredRequest>& found) const {
    if (suspended_) return;
    calls_.list_pending(info_->session_id, found);
    auto const now = connection_.now();
    for (auto const& request : connection_.peer().pending()) {
        found.push_back({info_->session_id, false, request.method, std::to_string(request.id),
                         now - request.started});
    }
}

// Passes the notification to the user's handlers.
void ServerSession::take_notification(rpc::Envelope const& notification) {
    auto const method = notification.method;
    std::string const shown(method.substr(0, max_logged_name));
    if (!rpc::may_take_notification(negotiation_.phase(), method)) {
        core_->log(LoggingLevel::debug, *info_,
                   "the notification " + shown +
                       " is dropped, because the connection is in phase " +
                       std::string(to_string(negotiation_.phase())));
        return;
    }
    if (!calls_.settings().handles(method)) {
        // The library itself handles this notification.
        if (method == methods::Initialized::info.name) return;
        core_->log(LoggingLevel::debug, *info_, "the notification " + shown + " has no handler");
        return;
    }
    auto const params = notification.params;
    ClientNotification taken;
    taken.method = method;
    taken.params = RawJson::trusted(params ? std::string(params->raw()) : "{}");
    taken.sender = *info_;
    taken.client = negotiation_.client()->info;
    taken.version = to_string(negotiation_.version());
    events().add(std::move(taken));
}

}  // namespace lanyard::server
