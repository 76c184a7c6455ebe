#include "http/mcp/session_table.hpp"

#include <algorithm>
#include <tuple>

#include "base/deadline.hpp"
#include "http/mcp/request_info.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;

// How long a session of HTTP+SSE (2024-11-05) may exist without an open stream.
constexpr Duration sse_expiry = 60s;
constexpr Duration longest_between_sweeps = 30s;
// The maximum number of sessions that one sweep suspends, so that requests need not wait until all
// idle sessions are suspended.
constexpr std::size_t max_suspended_at_once = 100;
// The pause before the next sweep if there may be more sessions to suspend.
constexpr Duration before_more_suspensions = 10ms;
// The maximum number of sessions that find_anonymous() selects as candidates for eviction.
constexpr std::size_t max_candidates = 100;
constexpr Duration before_next_look = 1s;

}  // namespace

SessionTable::~SessionTable() {
    for (auto const& session : sessions_) counts_.remove(session->principal().get());
}

void SessionTable::add(std::shared_ptr<HttpSession> session) {
    auto const* const principal = session->principal().get();
    sessions_.insert(std::move(session));
    counts_.add(principal);
    counters_.sessions = sessions_.size();
}

void SessionTable::remove(HttpSession const& session) noexcept {
    auto const at = sessions_.find(session.id());
    if (at == sessions_.end() || at->get() != &session) return;
    counts_.remove(session.principal().get());
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

Duration SessionTable::expiry_of(HttpSession const& session) const noexcept {
    bool const sse = session.kind() == HttpSession::Kind::sse;
    return sse ? std::min(sse_expiry, options_.session_expiry()) : options_.session_expiry();
}

// Making room.

// Whether the session may be ended to make room. A session that was never used may be ended earlier
// than others.
bool SessionTable::may_evict(HttpSession const& session, TimePoint now) const noexcept {
    auto const expiry = options_.evict_expiry();
    return session.kind() != HttpSession::Kind::stateless && !session.ended() &&
           session.is_idle(now, session.is_unused() ? expiry / 3 : expiry);
}

void SessionTable::evict(HttpSession& session) noexcept {
    ++counters_.sessions_evicted;
    session.end();
}

bool SessionTable::evict_for(Principal const* principal, SessionRoom lack, TimePoint now) {
    if (principal == nullptr) return evict_anonymous(now);
    // Ends a session of the same principal if possible, else one without a principal, else one of a
    // principal that has more sessions.
    auto const own = counts_.count_of(*principal);
    auto const rank = [&](HttpSession const& session) {
        auto const* const owner = session.principal().get();
        if (is_same(owner, principal)) return 0;
        if (lack == SessionRoom::full_for_principal) return -1;
        if (owner == nullptr) return 1;
        return counts_.count_of(*owner) > own + 1 ? 2 : -1;
    };
    std::shared_ptr<HttpSession> found;
    auto best = std::tuple(3, true, TimePoint::max());
    for (auto const& session : sessions_) {
        if (!may_evict(*session, now)) continue;
        auto const place = rank(*session);
        auto const order = std::tuple(place, !session->is_unused(), session->last_used());
        if (place < 0 || order >= best) continue;
        best = order;
        found = session;
    }
    if (found) evict(*found);
    return found != nullptr;
}

// Clients without a principal can cause any number of calls of this function, so not every call may
// search all sessions.
bool SessionTable::evict_anonymous(TimePoint now) {
    for (int round = 0; round < 2; ++round) {
        while (!candidates_.empty()) {
            auto const candidate = candidates_.back();
            candidates_.pop_back();
            auto const session = candidate.session.lock();
            if (!session || session->last_used() != candidate.last_used ||
                !may_evict(*session, now)) {
                continue;
            }
            evict(*session);
            return true;
        }
        if (now < look_again_) return false;
        find_anonymous(now);
    }
    return false;
}

void SessionTable::find_anonymous(TimePoint now) {
    look_again_ = after(now, before_next_look);
    std::vector<std::shared_ptr<HttpSession>> found;
    for (auto const& session : sessions_) {
        if (!session->principal() && may_evict(*session, now)) found.push_back(session);
    }
    auto const first = [](auto const& one, auto const& other) {
        return std::tuple(!one->is_unused(), one->last_used()) <
               std::tuple(!other->is_unused(), other->last_used());
    };
    auto const count = std::min(found.size(), max_candidates);
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count),
                      found.end(), first);
    candidates_.clear();
    for (auto i = count; i-- > 0;) candidates_.push_back({found[i], found[i]->last_used()});
    // There are more than max_candidates sessions to choose from, so the next search is allowed as
    // soon as these candidates are used up.
    if (found.size() > count) look_again_ = now;
}

void SessionTable::sweep(TimePoint now) {
    std::vector<std::shared_ptr<HttpSession>> idle;
    std::size_t suspended = 0;
    for (auto const& session : sessions_) {
        session->expire_events(now);
        if (session->is_idle(now, expiry_of(*session))) {
            idle.push_back(session);
        } else if (suspended < max_suspended_at_once && session->suspend(now)) {
            ++suspended;
        }
    }
    more_may_suspend_ = suspended == max_suspended_at_once;
    for (auto const& session : idle) session->end();
    counters_.sessions_expired += idle.size();
}

TimePoint SessionTable::next_sweep(TimePoint now) const noexcept {
    if (sessions_.empty()) return never;
    if (more_may_suspend_) return after(now, before_more_suspensions);
    auto const step =
        std::min({options_.session_expiry(), options_.event_expiry(), options_.suspend_after()}) /
        4;
    return after(now, std::clamp(step, Duration(1s), longest_between_sweeps));
}

std::vector<std::shared_ptr<HttpSession>> SessionTable::all() const {
    return {sessions_.begin(), sessions_.end()};
}

}  // namespace lanyard::http
