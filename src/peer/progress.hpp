// Progress of a request that this side is serving (MCP specification, basic/utilities/progress).
// The values that are sent increase strictly, their rate is limited without losing the latest
// value, and nothing is sent after the request is complete.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rate_limiter.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/request_id.hpp"

namespace lanyard::rpc {

struct ProgressUpdate {
    /// The update that a handler reports; an empty message means none.
    static ProgressUpdate of(double progress, std::optional<double> total,
                             std::string_view message);

    double progress = 0;
    std::optional<double> total;
    std::optional<std::string> message;

    bool operator==(ProgressUpdate const&) const = default;
};

enum class ReportDecision : std::uint8_t {
    send,  ///< Send the update now.
    held,  ///< Too soon: the update is stored and sent later, unless a newer one replaces it.
    not_increasing,  ///< The value has not increased or is not finite: the update is dropped.
    finished,        ///< The request is complete: the update is dropped.
};

/// Appends the parameters of a progress notification.
void append_progress_params(std::string& out, ProgressToken const& token,
                            ProgressUpdate const& update, Version version);

/// The progress of one request. The first updates are sent immediately, up to the burst of the
/// Rate; further updates are limited to the rate per second. The newest update is always kept, and
/// finish() returns it, so that the last value reaches the peer before the answer. Not thread-safe.
class ProgressSender {
public:
    static constexpr Rate default_rate{20, 10};

    explicit ProgressSender(ProgressToken token, Rate rate = default_rate)
        : token_(std::move(token)), bucket_(rate) {}

    ProgressToken const& token() const noexcept { return token_; }

    /// Processes an update. The update is moved from only if the result is `held`.
    ReportDecision report(ProgressUpdate&& update, TimePoint now);
    /// Returns the held update if it is due, otherwise nullopt.
    std::optional<ProgressUpdate> take_due(TimePoint now);
    /// The time at which the held update is due; `never` if no update is held.
    TimePoint next_due() const noexcept { return held_ ? due_ : never; }
    /// Ends the progress. Returns the held update, if any, which must be sent before the answer.
    std::optional<ProgressUpdate> finish();

private:
    ProgressToken token_;
    TokenBucket bucket_;
    std::optional<double> last_;
    std::optional<ProgressUpdate> held_;
    TimePoint due_ = never;
    bool finished_ = false;
};

/// The requests whose newest update is held back. `Request` is a handle of a request.
template <class Request>
class HeldProgress {
public:
    void add(Request request) {
        if (std::find(held_.begin(), held_.end(), request) == held_.end()) held_.push_back(request);
    }
    void remove(Request request) noexcept {
        if (!held_.empty()) std::erase(held_, request);
    }
    void clear() noexcept { held_.clear(); }

    /// The earliest time at which an update is due; `never` if no update is held. `due(request)`
    /// must return this time for one request.
    template <class Due>
    TimePoint next_due(Due const& due) const {
        auto next = never;
        for (auto const request : held_) next = std::min(next, due(request));
        return next;
    }
    /// Calls `send(request)` for each request. `send` must send the held update of the request if
    /// the update is due, and return the time at which the request's next update is due, or
    /// `never`.
    template <class Send>
    void send_due(Send const& send) {
        std::erase_if(held_, [&](Request request) { return send(request) == never; });
    }

private:
    std::vector<Request> held_;
};

}  // namespace lanyard::rpc
