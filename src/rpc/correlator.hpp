// Requests this side has sent: ids, limits, timeouts, progress, and exactly one outcome for each
// (basic/lifecycle "Timeouts", basic/utilities/cancellation, basic/utilities/progress).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "lanyard/rpc/request_id.hpp"
#include "rpc/deadline_heap.hpp"
#include "rpc/id_counter.hpp"
#include "rpc/slot_table.hpp"
#include "rpc/tombstones.hpp"

namespace lanyard::rpc {

/// How a request ended.
enum class Outcome : std::uint8_t {
    answered,         ///< The peer sent a result.
    failed,           ///< The peer sent an error, or the request could not be sent.
    timed_out,        ///< No answer in time.
    cancelled,        ///< The caller gave up.
    connection_lost,  ///< The transport broke.
    shutdown,         ///< This side is stopping.
};
inline constexpr std::size_t outcome_count = 6;

std::string_view to_string(Outcome outcome) noexcept;

struct CorrelatorOptions {
    std::size_t max_pending = 1'000;
    Duration timeout = std::chrono::seconds(30);
    /// Where progress ends prolonging a request whose call sets no maximum of its own.
    Duration max_total = std::chrono::minutes(5);
    TombstoneOptions tombstones;
    std::int64_t first_id = 1;
};

/// How long a tombstone must last so that no answer of before outlives it: the request's timeout,
/// then a reconnect with its longest wait and its handshake, and a margin.
constexpr Duration tombstone_ttl(Duration timeout, Duration initialization_timeout,
                                 Duration longest_backoff) noexcept {
    TimePoint const reconnected(initialization_timeout + longest_backoff + std::chrono::seconds(5));
    return after(reconnected, timeout).time_since_epoch();
}

/// What one call sets for itself.
struct CallOptions {
    std::optional<Duration> timeout = {};              ///< no_limit for a request that stays open.
    std::optional<Duration> max_total = {};            ///< Never less than the timeout.
    bool progress = false;                             ///< Ask the peer for progress.
    std::optional<ProgressToken> progress_token = {};  ///< The request's id where not set.
};

struct PendingRequest {
    std::int64_t id;
    std::string method;
    TimePoint started;
    TimePoint deadline;
};

enum class AnswerVerdict : std::uint8_t {
    matched,  ///< The answer of a pending request.
    late,     ///< The request ended before; drop the answer.
    unknown,  ///< No such request; drop the answer and log it.
};

enum class ProgressVerdict : std::uint8_t {
    accepted,
    unknown_token,   ///< No pending request has this token: late or invented; drop it.
    not_increasing,  ///< Not above the value before it (or not a number); drop it.
};

struct CorrelatorCounters {
    std::uint64_t begun = 0;
    std::uint64_t refused = 0;
    std::array<std::uint64_t, outcome_count> ended{};
    std::uint64_t late_answers = 0;
    std::uint64_t unknown_answers = 0;
    std::uint64_t dropped_progress = 0;

    std::uint64_t with(Outcome outcome) const noexcept {
        return ended[static_cast<std::size_t>(outcome)];
    }
};

/// The table of pending requests of one peer. A Continuation is whatever the owner needs to wake
/// the caller (a handler, a pointer, an index); it is stored by value and handed back exactly once,
/// with the outcome. Not thread-safe: one owner feeds it messages, time and decisions.
template <class Continuation>
class Correlator {
    static_assert(std::movable<Continuation> && std::default_initializable<Continuation>);

public:
    explicit Correlator(CorrelatorOptions const& options = {})
        : options_(options), ids_(options.first_id), tombstones_(options.tombstones) {}

    struct Begun {
        std::int64_t id;
        IdNotice notice;
    };
    /// Registers a request about to be sent and gives it an id. The continuation is moved from only
    /// on success. Fails with too_many_pending, with invalid_argument for a progress token in use,
    /// and with unavailable where the ids are used up.
    Result<Begun> begin(std::string_view method, Continuation&& continuation, TimePoint now,
                        CallOptions const& call = {});

    struct Ended {
        std::int64_t id = 0;
        Outcome outcome = Outcome::answered;
        /// Tell the peer with one `notifications/cancelled`, best effort. Never for `initialize`.
        bool notify_peer = false;
        Continuation continuation{};
    };

    struct Answer {
        AnswerVerdict verdict;
        Ended ended;  ///< Set where the verdict is matched.
    };
    /// Takes a response of the peer; `outcome` is answered for a result, failed for an error. Only
    /// ids issued here match: "1" is not 1.
    Answer answer(RequestId const& id, Outcome outcome, TimePoint now);

    /// Ends a pending request by a decision of this side. Nothing where it has ended already, so
    /// that doing it again changes nothing.
    std::optional<Ended> end(std::int64_t id, Outcome outcome, TimePoint now);

    /// Ends every pending request, oldest first, because the connection broke or this side stops.
    std::vector<Ended> end_all(Outcome outcome, TimePoint now);

    /// Ends one request whose time is over; call until it returns nothing. Also sweeps tombstones.
    std::optional<Ended> expire(TimePoint now);

    /// When to call expire() next, or never. May be early after progress, never late.
    TimePoint next_deadline() const noexcept {
        return std::min(deadlines_.next(), tombstones_.next_sweep());
    }

    struct Progress {
        ProgressVerdict verdict;
        std::int64_t id;             ///< Set where accepted.
        Continuation* continuation;  ///< Set where accepted; valid until the next call.
    };
    /// Takes a progress notification: an accepted one restarts the request's timeout.
    Progress progress(ProgressToken const& token, double value, TimePoint now);

    /// Tells that a new connection is open; see IdCounter.
    void reconnected() noexcept { ids_.reconnected(); }
    bool reconnect_needed() const noexcept { return ids_.reconnect_needed(); }

    std::size_t pending_count() const noexcept { return requests_.indexed(); }
    /// Every pending request, oldest first.
    std::vector<PendingRequest> pending() const;
    CorrelatorCounters const& counters() const noexcept { return counters_; }
    Tombstones const& tombstones() const noexcept { return tombstones_; }

private:
    static constexpr std::size_t listed_method_length = 64;

    struct Request {
        std::int64_t id = 0;
        TimePoint started;
        Duration timeout{};
        TimePoint deadline;
        TimePoint last_deadline;
        double last_progress = 0;
        bool is_initialize = false;
        bool wants_progress = false;
        bool has_own_token = false;
        ProgressToken token;
        Continuation continuation{};
        std::string method;  // cut to listed_method_length
    };

    static std::uint64_t hash(std::int64_t id) noexcept {
        return mix(static_cast<std::uint64_t>(id));
    }
    std::uint32_t find(std::int64_t id) const {
        return requests_.find(hash(id), [id](Request const& r) { return r.id == id; });
    }
    std::vector<std::uint32_t> slots_by_age() const;
    Ended finish(std::uint32_t slot, Outcome outcome);

    CorrelatorOptions options_;
    IdCounter ids_;
    SlotTable<Request> requests_;
    // Progress changes a request's deadline and not its place here: the heap learns of it when the
    // earlier time comes.
    DeadlineHeap deadlines_;
    std::unordered_map<ProgressToken, std::int64_t> own_tokens_;  // tokens that are not the id
    Tombstones tombstones_;
    CorrelatorCounters counters_;
};

template <class Continuation>
auto Correlator<Continuation>::begin(std::string_view method, Continuation&& continuation,
                                     TimePoint now, CallOptions const& call) -> Result<Begun> {
    auto refuse = [this](Errc code, std::string message) {
        ++counters_.refused;
        return Unexpected(Error(code, std::move(message)));
    };
    if (requests_.indexed() >= options_.max_pending) {
        return refuse(Errc::too_many_pending,
                      std::to_string(options_.max_pending) + " requests are pending already");
    }
    auto const* own_token = call.progress_token ? &*call.progress_token : nullptr;
    if (own_token != nullptr) {
        auto const* number = own_token->integer();
        auto const slot = number != nullptr ? find(*number) : requests_.none;
        if (own_tokens_.contains(*own_token) ||
            (slot != requests_.none && requests_[slot].wants_progress &&
             !requests_[slot].has_own_token)) {
            return refuse(Errc::invalid_argument, "the progress token is in use");
        }
    }
    auto taken = ids_.take();
    // An id that a caller uses as a token cannot also be the token of its own request.
    while (!own_tokens_.empty() && taken && own_tokens_.contains(taken->id)) taken = ids_.take();
    if (!taken) return refuse(Errc::unavailable, "all request ids are used; reconnect");

    auto const slot = requests_.add(hash(taken->id));
    auto& request = requests_[slot];
    request.id = taken->id;
    request.started = now;
    request.timeout = call.timeout.value_or(options_.timeout);
    request.deadline = after(now, request.timeout);
    request.last_deadline =
        after(now, std::max(request.timeout, call.max_total.value_or(options_.max_total)));
    request.last_progress = -HUGE_VAL;
    request.is_initialize = method == "initialize";
    request.wants_progress = call.progress || own_token != nullptr;
    request.has_own_token = own_token != nullptr;
    if (own_token != nullptr) {
        request.token = *own_token;
        own_tokens_.emplace(*own_token, taken->id);
    }
    request.continuation = std::move(continuation);
    request.method.assign(method.substr(0, listed_method_length));
    if (request.deadline != never) deadlines_.add(slot, request.deadline);
    ++counters_.begun;
    return Begun{taken->id, taken->notice};
}

template <class Continuation>
auto Correlator<Continuation>::answer(RequestId const& id, Outcome outcome, TimePoint now)
    -> Answer {
    auto const* number = id.integer();
    auto const slot = number != nullptr ? find(*number) : requests_.none;
    if (slot != requests_.none) return {AnswerVerdict::matched, finish(slot, outcome)};
    if (number != nullptr && tombstones_.contains(*number, now)) {
        ++counters_.late_answers;
        return {AnswerVerdict::late, {}};
    }
    ++counters_.unknown_answers;
    return {AnswerVerdict::unknown, {}};
}

template <class Continuation>
auto Correlator<Continuation>::end(std::int64_t id, Outcome outcome, TimePoint now)
    -> std::optional<Ended> {
    auto const slot = find(id);
    if (slot == requests_.none) return std::nullopt;
    tombstones_.add(id, now);
    return finish(slot, outcome);
}

template <class Continuation>
auto Correlator<Continuation>::end_all(Outcome outcome, TimePoint now) -> std::vector<Ended> {
    std::vector<Ended> ended;
    for (auto slot : slots_by_age()) {
        tombstones_.add(requests_[slot].id, now);
        ended.push_back(finish(slot, outcome));
    }
    return ended;
}

template <class Continuation>
auto Correlator<Continuation>::expire(TimePoint now) -> std::optional<Ended> {
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

template <class Continuation>
auto Correlator<Continuation>::progress(ProgressToken const& token, double value, TimePoint now)
    -> Progress {
    auto slot = requests_.none;
    if (auto const own = own_tokens_.find(token); own != own_tokens_.end()) {
        slot = find(own->second);
    } else if (auto const* id = token.integer()) {
        slot = find(*id);
        if (slot != requests_.none &&
            (!requests_[slot].wants_progress || requests_[slot].has_own_token)) {
            slot = requests_.none;
        }
    }
    if (slot == requests_.none) {
        ++counters_.dropped_progress;
        return {ProgressVerdict::unknown_token, 0, nullptr};
    }
    auto& request = requests_[slot];
    if (!(value > request.last_progress)) {
        ++counters_.dropped_progress;
        return {ProgressVerdict::not_increasing, 0, nullptr};
    }
    request.last_progress = value;
    request.deadline = std::min(after(now, request.timeout), request.last_deadline);
    return {ProgressVerdict::accepted, request.id, &request.continuation};
}

template <class Continuation>
std::vector<PendingRequest> Correlator<Continuation>::pending() const {
    std::vector<PendingRequest> list;
    for (auto slot : slots_by_age()) {
        auto const& request = requests_[slot];
        list.push_back({request.id, request.method, request.started, request.deadline});
    }
    return list;
}

template <class Continuation>
std::vector<std::uint32_t> Correlator<Continuation>::slots_by_age() const {
    std::vector<std::uint32_t> slots;
    slots.reserve(requests_.indexed());
    requests_.for_each([&](std::uint32_t slot) { slots.push_back(slot); });
    std::ranges::sort(slots, {}, [this](std::uint32_t slot) { return requests_[slot].id; });
    return slots;
}

// The one place where a request ends.
template <class Continuation>
auto Correlator<Continuation>::finish(std::uint32_t slot, Outcome outcome) -> Ended {
    auto& request = requests_[slot];
    bool const gave_up = outcome == Outcome::timed_out || outcome == Outcome::cancelled;
    Ended ended{request.id, outcome, gave_up && !request.is_initialize,
                std::exchange(request.continuation, Continuation{})};
    if (request.has_own_token) own_tokens_.erase(request.token);
    deadlines_.remove(slot);
    requests_.unindex(hash(request.id), slot);
    requests_.recycle(slot);
    ++counters_.ended[static_cast<std::size_t>(outcome)];
    return ended;
}

}  // namespace lanyard::rpc
