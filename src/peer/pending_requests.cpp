#include "peer/pending_requests.hpp"

#include <algorithm>
#include <cmath>

namespace lanyard::rpc {

namespace {

constexpr std::size_t listed_method_length = 64;

std::uint64_t hash(std::int64_t id) noexcept {
    return mix(static_cast<std::uint64_t>(id));
}

}  // namespace

std::string_view to_string(Outcome outcome) noexcept {
    constexpr std::array<std::string_view, outcome_count> names{
        "answered", "failed", "timed out", "cancelled", "connection lost", "shutdown"};
    return names[static_cast<std::size_t>(outcome)];
}

PendingRequests::PendingRequests(CorrelatorOptions const& options)
    : options_(options),
      ids_(options.first_id, options.last_id),
      tombstones_(
          {tombstone_ttl(options), options.tombstone_sweep_interval, options.max_tombstones}) {}

auto PendingRequests::begin(std::string_view method, TimePoint now, RequestSettings const& call)
    -> Result<Begun> {
    auto refuse = [this](Errc code, std::string message) {
        ++counters_.refused;
        return Unexpected(Error(code, std::move(message)));
    };
    if (requests_.indexed() >= options_.max_pending) {
        return refuse(Errc::too_many_pending,
                      std::to_string(options_.max_pending) + " requests are pending already");
    }
    auto const& own_token = call.progress_token;
    if (own_token && find_by_token(*own_token) != requests_.none) {
        return refuse(Errc::invalid_argument, "the progress token is in use");
    }
    auto taken = ids_.take();
    // Skip an id that a caller already uses as a progress token, because the id is the new
    // request's default token.
    while (!own_tokens_.empty() && taken && own_tokens_.contains(taken->id)) {
        auto const skipped = taken->notice;
        taken = ids_.take();
        if (taken && taken->notice == IdNotice::none) taken->notice = skipped;
    }
    if (!taken) return refuse(Errc::unavailable, "all request ids are used; reconnect");

    auto const slot = requests_.add(hash(taken->id));
    requests_[slot].id = taken->id;
    requests_[slot].has_own_token = false;
    try {
        fill(slot, method, now, call);
    } catch (...) {
        withdraw(slot);
        throw;
    }
    ++counters_.begun;
    return Begun{taken->id, taken->notice, slot};
}

void PendingRequests::fill(std::uint32_t slot, std::string_view method, TimePoint now,
                           RequestSettings const& call) {
    auto const& own_token = call.progress_token;
    auto& request = requests_[slot];
    request.started = now;
    request.timeout = call.timeout.value_or(options_.timeout);
    request.deadline = after(now, request.timeout);
    request.last_deadline =
        after(now, std::max(request.timeout, call.max_total.value_or(options_.max_total)));
    request.last_progress = -HUGE_VAL;
    request.is_initialize = method == "initialize";
    request.wants_progress = call.progress || own_token;
    if (own_token) {
        request.token = *own_token;
        own_tokens_.emplace(*own_token, request.id);
        request.has_own_token = true;
    }
    request.method.assign(method.substr(0, listed_method_length));
    if (request.deadline != never) deadlines_.add(slot, request.deadline);
}

void PendingRequests::withdraw(std::uint32_t slot) noexcept {
    auto const& request = requests_[slot];
    if (request.has_own_token) own_tokens_.erase(request.token);
    deadlines_.remove(slot);
    requests_.unindex(hash(request.id), slot);
    requests_.recycle(slot);
}

auto PendingRequests::answer(RequestId const& id, Outcome outcome, TimePoint now) -> Answer {
    auto const* number = id.integer();
    if (number != nullptr) {
        auto const slot = find(*number);
        if (slot != requests_.none) return {AnswerMatch::matched, finish(slot, outcome)};
        if (tombstones_.contains(*number, now)) {
            ++counters_.late_answers;
            return {AnswerMatch::late, {}};
        }
    }
    ++counters_.unknown_answers;
    return {AnswerMatch::unknown, {}};
}

auto PendingRequests::end(std::int64_t id, Outcome outcome, TimePoint now) -> std::optional<Ended> {
    auto const slot = find(id);
    if (slot == requests_.none) return std::nullopt;
    tombstones_.add(id, now);
    return finish(slot, outcome);
}

auto PendingRequests::end_all(Outcome outcome, TimePoint now) -> std::vector<Ended> {
    std::vector<Ended> ended;
    for (auto slot : slots_by_age()) {
        tombstones_.add(requests_[slot].id, now);
        ended.push_back(finish(slot, outcome));
    }
    return ended;
}

auto PendingRequests::expire(TimePoint now) -> std::optional<Ended> {
    while (deadlines_.next() <= now) {
        auto const slot = deadlines_.top();
        auto const& request = requests_[slot];
        if (request.deadline > now) {
            deadlines_.move(slot, request.deadline);
            continue;
        }
        tombstones_.add(request.id, now);
        return finish(slot, Outcome::timed_out);
    }
    tombstones_.sweep(now);
    return std::nullopt;
}

TimePoint PendingRequests::next_deadline() const noexcept {
    return std::min(deadlines_.next(), tombstones_.next_sweep());
}

auto PendingRequests::progress(ProgressToken const& token, double value, TimePoint now)
    -> Progress {
    auto const slot = find_by_token(token);
    if (slot == requests_.none) {
        ++counters_.dropped_progress;
        return {ProgressMatch::unknown_token, 0, slot};
    }
    auto& request = requests_[slot];
    if (!(value > request.last_progress)) {
        ++counters_.dropped_progress;
        return {ProgressMatch::not_increasing, 0, slot};
    }
    request.last_progress = value;
    request.deadline = std::min(after(now, request.timeout), request.last_deadline);
    return {ProgressMatch::accepted, request.id, slot};
}

void PendingRequests::resume(PendingRequests& former) {
    ids_ = former.ids_;
    ids_.reconnected();
    tombstones_ = std::move(former.tombstones_);
    counters_ = former.counters_;
}

std::vector<PendingRequest> PendingRequests::list() const {
    std::vector<PendingRequest> list;
    for (auto slot : slots_by_age()) {
        auto const& request = requests_[slot];
        list.push_back({request.id, request.method, request.started, request.deadline});
    }
    return list;
}

std::uint32_t PendingRequests::find(std::int64_t id) const {
    return requests_.find(hash(id), [id](Request const& request) { return request.id == id; });
}

std::uint32_t PendingRequests::find_by_token(ProgressToken const& token) const {
    if (auto const own = own_tokens_.find(token); own != own_tokens_.end()) {
        return find(own->second);
    }
    auto const* id = token.integer();
    auto const slot = id != nullptr ? find(*id) : requests_.none;
    return slot != requests_.none && requests_[slot].has_id_as_token() ? slot : requests_.none;
}

std::vector<std::uint32_t> PendingRequests::slots_by_age() const {
    std::vector<std::uint32_t> slots;
    slots.reserve(requests_.indexed());
    requests_.for_each([&](std::uint32_t slot) { slots.push_back(slot); });
    std::ranges::sort(slots, {}, [this](std::uint32_t slot) { return requests_[slot].id; });
    return slots;
}

// Every request ends through this function, whatever its outcome.
auto PendingRequests::finish(std::uint32_t slot, Outcome outcome) -> Ended {
    auto& request = requests_[slot];
    bool const gave_up = outcome == Outcome::timed_out || outcome == Outcome::cancelled;
    withdraw(slot);
    ++counters_.ended[static_cast<std::size_t>(outcome)];
    return {request.id, outcome, gave_up && !request.is_initialize, slot};
}

}  // namespace lanyard::rpc
