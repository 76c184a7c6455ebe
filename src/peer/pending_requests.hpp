// Bookkeeping of the requests that this side has sent: ids, limits, timeouts, progress, and exactly
// one outcome for each (MCP specification, basic/lifecycle "Timeouts",
// basic/utilities/cancellation, basic/utilities/progress).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/deadline_heap.hpp"
#include "base/slot_table.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "lanyard/rpc/request_id.hpp"
#include "peer/id_counter.hpp"
#include "peer/tombstones.hpp"

namespace lanyard::rpc {

/// How a request ended.
enum class Outcome : std::uint8_t {
    answered,         ///< The peer sent a result.
    failed,           ///< The peer sent an error, or its answer could not be received or read.
    timed_out,        ///< No answer in time.
    cancelled,        ///< The caller cancelled the request.
    connection_lost,  ///< The transport broke.
    shutdown,         ///< This side is stopping.
};
inline constexpr std::size_t outcome_count = 6;

std::string_view to_string(Outcome outcome) noexcept;

struct CorrelatorOptions {
    std::size_t max_pending = 1'000;
    Duration timeout = std::chrono::seconds(30);
    /// The maximum total duration of a request whose timeout is extended by progress.
    /// RequestSettings::max_total overrides this value for one request.
    Duration max_total = std::chrono::minutes(5);
    /// The maximum duration of the handshake after a reconnect. It is used only to determine how
    /// long tombstones are kept (see tombstone_ttl()).
    Duration initialization_timeout = std::chrono::seconds(10);
    /// The longest wait before a reconnect. Like initialization_timeout, it is used only by
    /// tombstone_ttl().
    Duration longest_backoff = std::chrono::seconds(36);
    std::size_t max_tombstones = 10'000;
    Duration tombstone_sweep_interval = std::chrono::seconds(60);
    std::int64_t first_id = 1;
    /// The largest id (see IdCounter). When it has been used, requests fail until a new connection
    /// is open, whose ids start again from 1.
    std::int64_t last_id = IdCounter::limit;
};

/// How long a tombstone must be kept so that every late answer is recognised: the request's
/// timeout, plus a reconnect with its longest wait and its handshake, plus a margin.
constexpr Duration tombstone_ttl(CorrelatorOptions const& options) noexcept {
    TimePoint const reconnected(options.initialization_timeout + options.longest_backoff +
                                std::chrono::seconds(5));
    return after(reconnected, options.timeout).time_since_epoch();
}

/// The options of one request.
struct RequestSettings {
    /// The timeout of this request. With no_limit, the request never times out. If not set:
    /// CorrelatorOptions::timeout.
    std::optional<Duration> timeout = {};
    /// The maximum total duration if progress extends the timeout; never less than the timeout. If
    /// not set: CorrelatorOptions::max_total.
    std::optional<Duration> max_total = {};
    /// Whether to ask the peer for progress notifications.
    bool progress = false;
    /// The progress token to send. If not set, the request's id is used.
    std::optional<ProgressToken> progress_token = {};
    /// The value for Route::name. If not set, the method, id, name and version of the route are not
    /// set, and an HTTP transport parses the message.
    std::optional<std::string_view> name = {};
};

struct PendingRequest {
    std::int64_t id;
    std::string method;
    TimePoint started;
    TimePoint deadline;
};

enum class AnswerMatch : std::uint8_t {
    matched,  ///< The answer to a pending request.
    late,     ///< The request has already ended: the answer must be dropped.
    unknown,  ///< No request has this id: the answer must be dropped and logged.
};

enum class ProgressMatch : std::uint8_t {
    accepted,
    unknown_token,   ///< No pending request has this token (any more): drop the notification.
    not_increasing,  ///< The value has not increased or is not a number: drop the notification.
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

/// The pending requests of one peer, each in a numbered slot that the owner can use as an index for
/// its own data. Not thread-safe.
class PendingRequests {
public:
    explicit PendingRequests(CorrelatorOptions const& options);

    struct Begun {
        std::int64_t id;
        IdNotice notice;
        std::uint32_t slot;
    };
    Result<Begun> begin(std::string_view method, TimePoint now, RequestSettings const& call);

    /// Undoes begin(), because the request could not be sent.
    void withdraw(std::uint32_t slot) noexcept;

    struct Ended {
        std::int64_t id = 0;
        Outcome outcome = Outcome::answered;
        bool notify_peer = false;
        std::uint32_t slot = 0;  ///< The slot is free again: the next begin() may reuse it.
    };

    struct Answer {
        AnswerMatch result;
        Ended ended;
    };
    Answer answer(RequestId const& id, Outcome outcome, TimePoint now);
    std::optional<Ended> end(std::int64_t id, Outcome outcome, TimePoint now);
    std::vector<Ended> end_all(Outcome outcome, TimePoint now);
    std::optional<Ended> expire(TimePoint now);
    TimePoint next_deadline() const noexcept;

    struct Progress {
        ProgressMatch result;
        std::int64_t id;
        std::uint32_t slot;
    };
    Progress progress(ProgressToken const& token, double value, TimePoint now);

    /// Takes over the ids, tombstones and counters of another table whose requests have all ended.
    void resume(PendingRequests& former);
    void reconnected() noexcept { ids_.reconnected(); }
    bool reconnect_needed() const noexcept { return ids_.reconnect_needed(); }
    std::int64_t next_id() const noexcept { return ids_.next(); }

    std::size_t count() const noexcept { return requests_.indexed(); }
    std::vector<PendingRequest> list() const;
    CorrelatorCounters const& counters() const noexcept { return counters_; }
    Tombstones const& tombstones() const noexcept { return tombstones_; }

private:
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
        ProgressToken token;  // set only if has_own_token
        std::string method;   // truncated to a length suitable for listings

        bool has_id_as_token() const noexcept { return wants_progress && !has_own_token; }
    };

    void fill(std::uint32_t slot, std::string_view method, TimePoint now,
              RequestSettings const& call);
    std::uint32_t find(std::int64_t id) const;
    std::uint32_t find_by_token(ProgressToken const& token) const;
    std::vector<std::uint32_t> slots_by_age() const;
    Ended finish(std::uint32_t slot, Outcome outcome);

    CorrelatorOptions options_;
    IdCounter ids_;
    SlotTable<Request> requests_;
    // Progress extends the deadline of a request, but the heap is not updated at once: expire()
    // moves the request in the heap when its old deadline is reached.
    DeadlineHeap deadlines_;
    // Maps each progress token that a caller has chosen to the id of its request.
    std::unordered_map<ProgressToken, std::int64_t> own_tokens_;
    Tombstones tombstones_;
    CorrelatorCounters counters_;
};

}  // namespace lanyard::rpc
