#include "http/session_table.hpp"

#include <algorithm>

#include "http/request_facts.hpp"
#include "rpc/deadline.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;

// How long a client of 2024-11-05 may be without its stream.
constexpr Duration sse_patience = 60s;
constexpr Duration longest_between_sweeps = 30s;
// Sessions that go to rest at a stretch, and when the next may: calls need not wait for all of
// them.
constexpr std::size_t max_resting_at_once = 100;
constexpr Duration before_others_rest = 10ms;

}  // namespace

SessionTable::Room SessionTable::room_for(Principal const* principal) const {
    if (sessions_.size() >= options_.max_sessions()) return Room::full;
    if (principal == nullptr) return Room::enough;
    auto const at = by_principal_.find(principal->identity());
    bool const full =
        at != by_principal_.end() && at->second >= options_.max_sessions_per_principal();
    return full ? Room::full_for_principal : Room::enough;
}

void SessionTable::add(std::shared_ptr<HttpSession> session) {
    if (session->principal()) ++by_principal_[session->principal()->identity()];
    sessions_.insert(std::move(session));
    counters_.sessions = sessions_.size();
}

void SessionTable::remove(HttpSession const& session) noexcept {
    auto const at = sessions_.find(session.id());
    if (at == sessions_.end() || at->get() != &session) return;
    if (session.principal()) {
        auto const count = by_principal_.find(session.principal()->identity());
        if (--count->second == 0) by_principal_.erase(count);
    }
    sessions_.erase(at);
    counters_.sessions = sessions_.size();
}

std::shared_ptr<HttpSession> SessionTable::find(std::string_view id, HttpSession::Kind kind,
                                                Principal const* principal) const {
    auto const at = sessions_.find(id);
    if (at == sessions_.end() || (*at)->kind() != kind ||
        !is_same((*at)->principal().get(), principal)) {
        return nullptr;
    }
    return *at;
}

Duration SessionTable::patience(HttpSession const& session) const noexcept {
    bool const sse = session.kind() == HttpSession::Kind::sse;
    return sse ? std::min(sse_patience, options_.idle_expiry()) : options_.idle_expiry();
}

void SessionTable::sweep(TimePoint now) {
    std::vector<std::shared_ptr<HttpSession>> idle;
    std::size_t rested = 0;
    for (auto const& session : sessions_) {
        session->expire_events(now);
        if (session->is_idle(now, patience(*session))) {
            idle.push_back(session);
        } else if (rested < max_resting_at_once && session->rest(now)) {
            ++rested;
        }
    }
    more_may_rest_ = rested == max_resting_at_once;
    for (auto const& session : idle) session->end();
    counters_.sessions_expired += idle.size();
}

TimePoint SessionTable::next_sweep(TimePoint now) const noexcept {
    if (sessions_.empty()) return rpc::never;
    if (more_may_rest_) return rpc::after(now, before_others_rest);
    auto const step =
        std::min({options_.idle_expiry(), options_.event_expiry(), options_.rest_after()}) / 4;
    return rpc::after(now, std::clamp(step, Duration(1s), longest_between_sweeps));
}

std::vector<std::shared_ptr<HttpSession>> SessionTable::all() const {
    return {sessions_.begin(), sessions_.end()};
}

}  // namespace lanyard::http
