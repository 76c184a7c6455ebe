// Requests the peer has sent and this side works on: no id twice at a time, cancellation, progress,
// and for each either one answer or silence (basic/utilities/cancellation, .../progress).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "rpc/progress.hpp"
#include "rpc/slot_table.hpp"

namespace lanyard::rpc {

struct InboundOptions {
    std::size_t max_in_flight = 1'000;
    Rate progress_rate = ProgressSender::default_rate;
    std::uint64_t hash_seed = 0;  ///< Random, so that ids that collide cannot be prepared.
};

struct InboundCounters {
    std::uint64_t begun = 0;
    std::uint64_t duplicate_ids = 0;
    std::uint64_t refused_for_room = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t ignored_cancellations = 0;
};

/// The table of requests in progress for one peer. `Work` is what the owner needs to stop a handler
/// (a pointer, a stop source); it is stored by value. Handlers are known by ticket, not by the
/// peer's id, so that an answer can only ever belong to the request it was made for. Not
/// thread-safe.
template <class Work>
class InboundRequests {
public:
    explicit InboundRequests(InboundOptions const& options = {}) : options_(options) {}

    /// Names one request in progress; a ticket of a finished one is never taken for a later one.
    struct Ticket {
        std::uint32_t slot = 0;
        std::uint32_t generation = 0;
        bool operator==(Ticket const&) const = default;
    };

    /// Registers a request that arrived. Fails with protocol_violation where a request with this id
    /// is in progress (which goes on undisturbed) and with too_many_pending at the limit.
    Result<Ticket> begin(RequestId id, std::string_view method, std::optional<ProgressToken> token,
                         Work work);

    /// The work of a request that has not finished, cancelled or not; null for others.
    Work* work(Ticket ticket) noexcept;

    /// Takes a `cancelled` notification; the id is absent where it was missing or malformed.
    /// Returns the work to stop, or null where there is nothing to do: no such request, already
    /// cancelled, or `initialize`. The id is free for the peer to use again from here on.
    Work* cancel(std::optional<RequestId> const& id);

    /// The connection is gone: cancels everything and returns each work to stop.
    std::vector<Work*> cancel_all();

    /// True while the request is in progress and not cancelled.
    bool active(Ticket ticket) const noexcept;

    /// The progress of a request; null where the peer asked for none, or the request is cancelled
    /// or finished: what a handler reports then is dropped.
    ProgressSender* progress(Ticket ticket) noexcept;
    ProgressSender const* progress(Ticket ticket) const noexcept;

    struct Finish {
        bool answer =
            false;  ///< False: the request was cancelled or has been finished; stay silent.
        RequestId id;
        std::optional<ProgressUpdate> last_progress;  ///< To be sent ahead of the answer.
    };
    /// The handler is done, whether it returned, failed or unwound. Exactly one call for each
    /// request says answer, or none where it was cancelled before.
    Finish finish(Ticket ticket);

    /// Requests whose handler has not finished, cancelled ones included.
    std::size_t in_flight() const noexcept { return requests_.in_use(); }
    InboundCounters const& counters() const noexcept { return counters_; }

private:
    struct Request {
        bool cancelled = false;
        bool is_initialize = false;
        std::uint32_t generation = 1;  // a default ticket has 0 and names nothing
        RequestId id;
        std::optional<ProgressSender> progress;
        Work work{};
    };

    std::uint64_t hash(RequestId const& id) const noexcept {
        return mix(std::hash<RequestId>{}(id) ^ options_.hash_seed);
    }
    std::uint32_t find(RequestId const& id) const {
        return requests_.find(hash(id), [&](Request const& r) { return r.id == id; });
    }
    Work* mark_cancelled(std::uint32_t slot);

    InboundOptions options_;
    SlotTable<Request> requests_;
    InboundCounters counters_;
};

template <class Work>
auto InboundRequests<Work>::begin(RequestId id, std::string_view method,
                                  std::optional<ProgressToken> token, Work work) -> Result<Ticket> {
    if (find(id) != requests_.none) {
        ++counters_.duplicate_ids;
        return Unexpected(
            Error(Errc::protocol_violation, "a request with this id is in progress already"));
    }
    // Cancelled handlers count until they have unwound: a peer cannot start more by cancelling.
    if (requests_.in_use() >= options_.max_in_flight) {
        ++counters_.refused_for_room;
        return Unexpected(Error(Errc::too_many_pending, std::to_string(options_.max_in_flight) +
                                                            " requests are in progress already"));
    }
    auto const slot = requests_.add(hash(id));
    auto& request = requests_[slot];
    request.cancelled = false;
    request.is_initialize = method == "initialize";
    request.id = std::move(id);
    if (token) request.progress.emplace(*std::move(token), options_.progress_rate);
    request.work = std::move(work);
    ++counters_.begun;
    return Ticket{slot, request.generation};
}

template <class Work>
Work* InboundRequests<Work>::work(Ticket ticket) noexcept {
    auto& request = requests_[ticket.slot];
    return request.generation == ticket.generation ? &request.work : nullptr;
}

template <class Work>
Work* InboundRequests<Work>::cancel(std::optional<RequestId> const& id) {
    auto const slot = id ? find(*id) : requests_.none;
    if (slot == requests_.none || requests_[slot].is_initialize) {
        ++counters_.ignored_cancellations;
        return nullptr;
    }
    return mark_cancelled(slot);
}

template <class Work>
std::vector<Work*> InboundRequests<Work>::cancel_all() {
    std::vector<std::uint32_t> slots;
    requests_.for_each([&](std::uint32_t slot) { slots.push_back(slot); });
    std::vector<Work*> works;
    for (auto slot : slots) works.push_back(mark_cancelled(slot));
    return works;
}

template <class Work>
Work* InboundRequests<Work>::mark_cancelled(std::uint32_t slot) {
    auto& request = requests_[slot];
    requests_.unindex(hash(request.id), slot);
    request.cancelled = true;
    request.progress.reset();
    ++counters_.cancelled;
    return &request.work;
}

template <class Work>
bool InboundRequests<Work>::active(Ticket ticket) const noexcept {
    auto const& request = requests_[ticket.slot];
    return request.generation == ticket.generation && !request.cancelled;
}

template <class Work>
ProgressSender const* InboundRequests<Work>::progress(Ticket ticket) const noexcept {
    if (!active(ticket) || !requests_[ticket.slot].progress) return nullptr;
    return &*requests_[ticket.slot].progress;
}

template <class Work>
ProgressSender* InboundRequests<Work>::progress(Ticket ticket) noexcept {
    return const_cast<ProgressSender*>(std::as_const(*this).progress(ticket));
}

template <class Work>
auto InboundRequests<Work>::finish(Ticket ticket) -> Finish {
    auto& request = requests_[ticket.slot];
    if (request.generation != ticket.generation) return {};
    Finish result;
    if (!request.cancelled) {
        result.answer = true;
        if (request.progress) result.last_progress = request.progress->finish();
        requests_.unindex(hash(request.id), ticket.slot);
    }
    result.id = std::move(request.id);
    request.progress.reset();
    request.work = Work{};
    ++request.generation;
    requests_.recycle(ticket.slot);
    return result;
}

}  // namespace lanyard::rpc
