// The times when calls are due, and their latencies.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace lanyard::bench {

using Time = std::chrono::steady_clock::time_point;

/// Calls at a fixed rate, independent of the server: the latency of a call that cannot be sent in
/// time is measured from when it was due, so that a server that stalls is charged for all calls due
/// meanwhile.
class Schedule {
public:
    Schedule(Time start, double calls_per_second)
        : start_(start), interval_(1e9 / calls_per_second) {}

    Time due(std::size_t call) const {
        return start_ +
               std::chrono::nanoseconds(std::llround(static_cast<double>(call) * interval_));
    }
    /// How many calls are due by now.
    std::size_t due_by(Time now) const {
        if (now < start_) return 0;
        std::chrono::duration<double, std::nano> const passed = now - start_;
        return static_cast<std::size_t>(passed.count() / interval_) + 1;
    }

private:
    Time start_;
    double interval_;
};

/// Returns the smallest value that is at least as large as this share (0 to 1) of the values.
inline double percentile(std::vector<double> const& sorted, double share) {
    if (sorted.empty()) return 0;
    auto const rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(std::max(rank, 1.0)) - 1)];
}

}  // namespace lanyard::bench
