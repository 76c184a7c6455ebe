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
    auto const& id = session->id();
    sessions_.emplace(id, std::move(session));
    counters_.sessions = sessions_.size();
}

void SessionTable::remove(HttpSession const& session) noexcept {
    auto const at = sessions_.find(session.id());
    if (at == sessions_.end() || at->second.get() != &session) return;
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
    if (at == sessions_.end() || at->second->kind() != kind ||
        !is_same(at->second->principal().get(), principal)) {
        return nullptr;
    }
    return at->second;
}

Duration SessionTable::patience(HttpSession const& session) const noexcept {
    bool const sse = session.kind() == HttpSession::Kind::sse;
    return sse ? std::min(sse_patience, options_.idle_expiry()) : options_.idle_expiry();
}

void SessionTable::sweep(TimePoint now) {
    std::vector<std::shared_ptr<HttpSession>> idle;
    for (auto const& [id, session] : sessions_) {
        session->expire_events(now);
        if (session->is_idle(now, patience(*session))) idle.push_back(session);
    }
    for (auto const& session : idle) session->end();
    counters_.sessions_expired += idle.size();
}

TimePoint SessionTable::next_sweep(TimePoint now) const noexcept {
    if (sessions_.empty()) return rpc::never;
    auto const step = std::min(options_.idle_expiry(), options_.event_expiry()) / 4;
    return rpc::after(now, std::clamp(step, Duration(1s), longest_between_sweeps));
}

std::vector<std::shared_ptr<HttpSession>> SessionTable::all() const {
    std::vector<std::shared_ptr<HttpSession>> sessions;
    for (auto const& [id, session] : sessions_) sessions.push_back(session);
    return sessions;
}

}  // namespace lanyard::http
