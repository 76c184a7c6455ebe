// The requests that the peer has sent and this side is serving: unique ids, cancellation, progress,
// and at most one answer each (MCP specification, basic/utilities/cancellation, .../progress).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/slot_table.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "peer/progress.hpp"

namespace lanyard::rpc {

struct InboundOptions {
    std::size_t max_in_flight = 1'000;
    Rate progress_rate = ProgressSender::default_rate;
    std::uint64_t hash_seed = 0;  ///< Should be random, so that peers cannot make hashes collide.
};

struct InboundCounters {
    std::uint64_t begun = 0;
    std::uint64_t duplicate_ids = 0;
    std::uint64_t refused_for_room = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t ignored_cancellations = 0;
};

/// Identifies one request in progress. The ticket of a finished request never matches a later
/// request.
struct InboundTicket {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    bool operator==(InboundTicket const&) const = default;
};

/// The part of InboundRequests that does not depend on the type `Work`.
class InboundTable {
public:
    using Ticket = InboundTicket;

    explicit InboundTable(InboundOptions const& options) : options_(options) {}

    Result<Ticket> begin(RequestId&& id, std::string_view method,
                         std::optional<ProgressToken> token);

    bool may_begin_unnamed() const noexcept {
        return requests_.in_use() == 0 && options_.max_in_flight != 0;
    }
    Ticket begin_unnamed(std::string_view method);
    bool finish_unnamed(Ticket ticket) noexcept {
        if (!is_unnamed(ticket)) return false;
        unnamed_ = Ticket();
        ++requests_[ticket.slot].generation;
        requests_.recycle(ticket.slot);
        return true;
    }
    bool is_unnamed(Ticket ticket) const noexcept {
        return ticket.generation != 0 && ticket == unnamed_;
    }
    void name(Ticket ticket, RequestId&& id, std::optional<ProgressToken> token);

    std::optional<Ticket> cancel(std::optional<RequestId> const& id);
    std::vector<Ticket> cancel_all();

    /// True until the request of this ticket has finished, even if it was cancelled.
    bool holds(Ticket ticket) const noexcept {
        return requests_[ticket.slot].generation == ticket.generation;
    }
    bool active(Ticket ticket) const noexcept {
        return holds(ticket) && !requests_[ticket.slot].cancelled;
    }
    ProgressSender const* progress(Ticket ticket) const noexcept;

    struct Finish {
        /// Whether an answer must be sent. No answer may be sent if the request was cancelled or
        /// has already finished.
        bool answer = false;
        RequestId id;
        std::optional<ProgressUpdate> last_progress;  ///< The progress to send before the answer.
    };
    Finish finish(Ticket ticket);

    std::size_t in_flight() const noexcept { return requests_.in_use(); }
    InboundCounters const& counters() const noexcept { return counters_; }

private:
    struct Request {
        bool cancelled = false;
        bool is_initialize = false;
        std::uint32_t generation = 1;  // starts at 1, so that a default ticket matches no request
        std::uint64_t hash = 0;        // the hash of the id
        RequestId id;
        std::unique_ptr<ProgressSender> progress;  // set if the peer asked for progress
    };

    std::unique_ptr<ProgressSender> sender(std::optional<ProgressToken> token) const;
    void end_unnamed_or_unindex(Ticket ticket) noexcept;
    std::uint64_t hash(RequestId const& id) const noexcept;
    std::uint32_t find(RequestId const& id, std::uint64_t hashed) const;
    Ticket mark_cancelled(std::uint32_t slot);

    InboundOptions options_;
    SlotTable<Request> requests_;
    // The ticket of the unnamed request, that is, of the request whose id is not in the index yet
    // (see InboundRequests). A default ticket if there is no such request.
    Ticket unnamed_;
    InboundCounters counters_;
};

/// The requests in progress of one peer. The owner chooses the type `Work`: a pointer or a stop
/// source, with which the owner stops the handler of a request. A Work object is stored by value,
/// and a pointer to it is valid until the next begin(). A handler identifies its request by ticket,
/// not by the peer's id, so it cannot answer a later request with the same id by mistake. Not
/// thread-safe.
template <class Work>
class InboundRequests {
public:
    using Ticket = InboundTicket;
    using Finish = InboundTable::Finish;

    explicit InboundRequests(InboundOptions const& options = {}) : table_(options) {}

    /// Registers a request that arrived. Fails with protocol_violation if a request with the same
    /// id is in progress (that request continues), and with too_many_pending if max_in_flight
    /// requests are in progress.
    Result<Ticket> begin(RequestId&& id, std::string_view method,
                         std::optional<ProgressToken> token, Work work) {
        auto ticket = table_.begin(std::move(id), method, std::move(token));
        if (ticket) set_work(*ticket, std::move(work));
        return ticket;
    }

    // A request that arrives while no other is in progress cannot have a duplicate id. Most such
    // requests end before the next message is read, so adding them to the index of ids would waste
    // time. They may therefore begin "unnamed", that is, without being added to the index. If the
    // request outlives its message or reports progress, the owner must call name(), which adds the
    // id. No other request may begin while a request is unnamed.

    bool may_begin_unnamed() const noexcept { return table_.may_begin_unnamed(); }
    Ticket begin_unnamed(std::string_view method, Work work) {
        auto const ticket = table_.begin_unnamed(method);
        set_work(ticket, std::move(work));
        return ticket;
    }
    /// Ends an unnamed request that the caller is about to answer. Returns false, without effect,
    /// if the request has ended, is cancelled, or is no longer unnamed.
    bool finish_unnamed(Ticket ticket) {
        if (!table_.finish_unnamed(ticket)) return false;
        works_[ticket.slot] = Work{};
        return true;
    }
    /// Adds the id of an unnamed request to the index, after which the request is no longer
    /// unnamed. Does nothing if the request has ended or is not unnamed.
    void name(Ticket ticket, RequestId&& id, std::optional<ProgressToken> token) {
        table_.name(ticket, std::move(id), std::move(token));
    }
    bool is_unnamed(Ticket ticket) const noexcept { return table_.is_unnamed(ticket); }

    /// Returns the Work object of a request that has not finished, even if the request was
    /// cancelled. Returns null for other tickets.
    Work* work(Ticket ticket) noexcept {
        return table_.holds(ticket) ? &works_[ticket.slot] : nullptr;
    }
    Work const* work(Ticket ticket) const noexcept {
        return table_.holds(ticket) ? &works_[ticket.slot] : nullptr;
    }

    /// Processes a `cancelled` notification; `id` is nullopt if the id was missing or malformed.
    /// Returns the Work object that must be stopped. Returns null if nothing must be stopped: there
    /// is no such request, it is cancelled already, or it is `initialize`. After this call, the
    /// peer may reuse the id.
    Work* cancel(std::optional<RequestId> const& id) {
        auto const ticket = table_.cancel(id);
        return ticket ? &works_[ticket->slot] : nullptr;
    }

    /// To be called when the connection is lost: cancels all requests and returns the Work objects
    /// that must be stopped.
    std::vector<Work*> cancel_all() {
        std::vector<Work*> works;
        for (auto ticket : table_.cancel_all()) works.push_back(&works_[ticket.slot]);
        return works;
    }

    /// True while the request is in progress and not cancelled.
    bool active(Ticket ticket) const noexcept { return table_.active(ticket); }

    /// Returns the object that sends the progress of a request. Returns null if the peer asked for
    /// no progress or the request is cancelled or finished; the progress that the handler reports
    /// must then be dropped.
    ProgressSender const* progress(Ticket ticket) const noexcept { return table_.progress(ticket); }
    ProgressSender* progress(Ticket ticket) noexcept {
        return const_cast<ProgressSender*>(table_.progress(ticket));
    }

    /// To be called when the handler is done, whether it returned, failed or was cancelled. In the
    /// returned Finish object, `answer` is true if this is the first call of finish() for the
    /// request and the request was not cancelled.
    Finish finish(Ticket ticket) {
        if (table_.holds(ticket)) works_[ticket.slot] = Work{};
        return table_.finish(ticket);
    }

    /// The number of requests whose handler has not finished, including cancelled ones.
    std::size_t in_flight() const noexcept { return table_.in_flight(); }
    InboundCounters const& counters() const noexcept { return table_.counters(); }

private:
    void set_work(Ticket ticket, Work&& work) {
        if (ticket.slot >= works_.size()) make_room(ticket);
        works_[ticket.slot] = std::move(work);
    }
    void make_room(Ticket ticket) {
        try {
            works_.resize(ticket.slot + std::size_t{1});
        } catch (...) {
            table_.finish(ticket);
            throw;
        }
    }

    InboundTable table_;
    std::vector<Work> works_;  // indexed by InboundTicket::slot
};

}  // namespace lanyard::rpc
