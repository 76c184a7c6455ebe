// Progress of a request this side works on (basic/utilities/progress): strictly increasing, rate
// limited without losing the latest value, silent after completion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/request_id.hpp"
#include "rpc/rate_limiter.hpp"

namespace lanyard::rpc {

struct ProgressUpdate {
    double progress = 0;
    std::optional<double> total;
    std::optional<std::string> message;

    bool operator==(ProgressUpdate const&) const = default;
};

enum class ReportVerdict : std::uint8_t {
    send,  ///< Send the update now.
    held,  ///< Too soon; the update is kept and due later, unless a newer one replaces it.
    not_increasing,  ///< Not above the value reported before, or not a finite number: dropped.
    finished,        ///< The request is complete: dropped.
};

/// Appends the parameters of a progress notification.
void append_progress_params(std::string& out, ProgressToken const& token,
                            ProgressUpdate const& update, Version version);

/// The progress of one request. The first updates go out at once, up to the burst; then they are
/// thinned to the rate, always keeping the newest, which finish() hands out so that the last value
/// reaches the peer before the answer. A value: copy it to go on after the request is answered (as
/// a task does). Not thread-safe.
class ProgressSender {
public:
    static constexpr Rate default_rate{20, 10};

    explicit ProgressSender(ProgressToken token, Rate rate = default_rate)
        : token_(std::move(token)), bucket_(rate) {}

    ProgressToken const& token() const noexcept { return token_; }

    /// Takes an update; it is moved from only where the verdict is held.
    ReportVerdict report(ProgressUpdate&& update, TimePoint now);
    /// The held update once its time has come.
    std::optional<ProgressUpdate> take_due(TimePoint now);
    /// When the held update is due, or never.
    TimePoint next_due() const noexcept { return held_ ? due_ : never; }
    /// Ends the progress; returns the held update, to be sent ahead of the answer.
    std::optional<ProgressUpdate> finish();

private:
    ProgressToken token_;
    TokenBucket bucket_;
    std::optional<double> last_;
    std::optional<ProgressUpdate> held_;
    TimePoint due_ = never;
    bool finished_ = false;
};

}  // namespace lanyard::rpc
