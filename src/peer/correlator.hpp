// Correlator: the requests that this side has sent. It stores a Continuation for each request, and
// returns the Continuation when the request ends. See pending_requests.hpp for the bookkeeping.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "peer/pending_requests.hpp"

namespace lanyard::rpc {

/// The pending requests of one peer. The owner chooses the type Continuation: a handler, a pointer
/// or an index, with which the owner wakes the caller of a request. A continuation is stored by
/// value and returned exactly once, together with the outcome. Not thread-safe.
template <class Continuation>
class Correlator {
    static_assert(std::movable<Continuation> && std::default_initializable<Continuation>);

public:
    explicit Correlator(CorrelatorOptions const& options = {}) : requests_(options) {}

    struct Begun {
        std::int64_t id;
        IdNotice notice;
        std::uint32_t slot;
    };
    /// Registers a request about to be sent and gives it an id. The continuation is moved from only
    /// on success. Fails with too_many_pending if CorrelatorOptions::max_pending is reached, with
    /// invalid_argument if the progress token is in use, and with unavailable if the ids are used
    /// up.
    Result<Begun> begin(std::string_view method, Continuation&& continuation, TimePoint now,
                        RequestSettings const& call = {}) {
        auto begun = requests_.begin(method, now, call);
        if (!begun) return Unexpected(std::move(begun).error());
        if (begun->slot >= continuations_.size()) make_room(begun->slot);
        continuations_[begun->slot] = std::move(continuation);
        return Begun{begun->id, begun->notice, begun->slot};
    }
    /// Undoes begin(), because the request could not be sent. The continuation is not returned.
    void withdraw(Begun const& begun) noexcept { requests_.withdraw(begun.slot); }

    struct Ended {
        std::int64_t id = 0;
        Outcome outcome = Outcome::answered;
        /// Whether the owner should notify the peer with `notifications/cancelled`. Never true for
        /// `initialize`, which must not be cancelled.
        bool notify_peer = false;
        Continuation continuation{};
    };

    struct Answer {
        AnswerMatch result;
        Ended ended;  ///< Set if `result` is AnswerMatch::matched.
    };
    /// Processes a response of the peer. `outcome` must be `answered` if the response is a result,
    /// and `failed` if it is an error. Only integer ids match: a response with the string "1" does
    /// not match the request 1.
    Answer answer(RequestId const& id, Outcome outcome, TimePoint now) {
        auto const answer = requests_.answer(id, outcome, now);
        if (answer.result != AnswerMatch::matched) return {answer.result, {}};
        return {answer.result, with_continuation(answer.ended)};
    }

    /// Ends a pending request without an answer of the peer, for example because the caller
    /// cancelled it. Returns nullopt if the request has already ended, so a second call has no
    /// effect.
    std::optional<Ended> end(std::int64_t id, Outcome outcome, TimePoint now) {
        auto const ended = requests_.end(id, outcome, now);
        if (!ended) return std::nullopt;
        return with_continuation(*ended);
    }

    /// Ends every pending request, oldest first, because the connection is lost or is being closed.
    std::vector<Ended> end_all(Outcome outcome, TimePoint now) {
        std::vector<Ended> all;
        for (auto const& ended : requests_.end_all(outcome, now)) {
            all.push_back(with_continuation(ended));
        }
        return all;
    }

    /// Ends one request that has timed out; call it until it returns nullopt. Also removes expired
    /// tombstones (see tombstones.hpp).
    std::optional<Ended> expire(TimePoint now) {
        auto const ended = requests_.expire(now);
        if (!ended) return std::nullopt;
        return with_continuation(*ended);
    }

    /// The time at which to call expire() next; `never` if nothing can expire. After a progress
    /// notification, this time may be earlier than necessary; expire() then returns nullopt.
    TimePoint next_deadline() const noexcept { return requests_.next_deadline(); }

    struct Progress {
        ProgressMatch result;
        std::int64_t id;  ///< Set if the notification is accepted.
        /// The continuation of the request; null if the notification is not accepted. Valid until
        /// another function of the Correlator is called.
        Continuation* continuation;
    };
    /// Processes a progress notification. If it is accepted, the request's timeout starts again.
    Progress progress(ProgressToken const& token, double value, TimePoint now) {
        auto const progress = requests_.progress(token, value, now);
        if (progress.result != ProgressMatch::accepted) return {progress.result, 0, nullptr};
        return {progress.result, progress.id, &continuations_[progress.slot]};
    }

    /// Takes over the ids, tombstones and counters of a Correlator that has no pending requests any
    /// more.
    void resume(Correlator& former) { requests_.resume(former.requests_); }
    /// To be called when a new connection is open; see IdCounter::reconnected().
    void reconnected() noexcept { requests_.reconnected(); }
    bool reconnect_needed() const noexcept { return requests_.reconnect_needed(); }

    std::int64_t next_id() const noexcept { return requests_.next_id(); }
    std::size_t pending_count() const noexcept { return requests_.count(); }
    /// Returns all pending requests, oldest first.
    std::vector<PendingRequest> pending() const { return requests_.list(); }
    CorrelatorCounters const& counters() const noexcept { return requests_.counters(); }
    Tombstones const& tombstones() const noexcept { return requests_.tombstones(); }

private:
    Ended with_continuation(PendingRequests::Ended const& ended) {
        return {ended.id, ended.outcome, ended.notify_peer,
                std::exchange(continuations_[ended.slot], Continuation{})};
    }

    void make_room(std::uint32_t slot) {
        try {
            continuations_.resize(slot + std::size_t{1});
        } catch (...) {
            requests_.withdraw(slot);
            throw;
        }
    }

    PendingRequests requests_;
    std::vector<Continuation> continuations_;  // indexed by the slot of the request
};

}  // namespace lanyard::rpc
