// Limits how often a component that keeps failing is restarted.
#pragma once

#include <cstddef>
#include <deque>

#include "base/deadline.hpp"

namespace lanyard {

struct RestartLimits {
    std::size_t max_restarts = 5;
    Duration window = std::chrono::seconds(30);
};

/// Counts restarts within a sliding window. Not thread-safe.
class RestartIntensity {
public:
    explicit RestartIntensity(RestartLimits const& limits = {}) : limits_(limits) {}

    /// Records a restart if the limit allows one more; returns false otherwise.
    bool restart(TimePoint now) {
        while (!times_.empty() && after(times_.front(), limits_.window) <= now) times_.pop_front();
        if (times_.size() >= limits_.max_restarts) return false;
        times_.push_back(now);
        return true;
    }

private:
    RestartLimits limits_;
    std::deque<TimePoint> times_;
};

}  // namespace lanyard
