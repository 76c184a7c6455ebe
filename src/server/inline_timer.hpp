// InlineTimer: finds out which handlers have become too slow to run on the connection's thread.
#pragma once

#include <algorithm>
#include <chrono>

#include "lanyard/time_source.hpp"

namespace lanyard::server {

/// A look at the clock takes as long as a quick handler. So the handlers of messages that came
/// together are timed together, and one by one only when those before them were too slow. Not
/// thread-safe.
class InlineTimer {
public:
    /// More than that, and a handler keeps others waiting.
    static constexpr Duration too_long = std::chrono::milliseconds(1);

    explicit InlineTimer(TimeSource& time) noexcept : time_(time) {}

    /// Messages have come and are being taken; the handler of a single one is timed in any case.
    void begin(TimePoint received, bool single) noexcept {
        begin_ = std::max(lap_, received);
        lap_ = begin_;
        single_ = single;
    }
    /// A handler has run; whether it is known to have taken too long.
    bool ran_too_long() noexcept {
        if (!single_ && !suspicious_) {
            untimed_ = true;
            return false;
        }
        auto const before = lap_;
        lap_ = time_.now();
        return lap_ - before > too_long;
    }
    /// All messages have been taken.
    void end() noexcept {
        if (!untimed_ && !suspicious_) return;
        untimed_ = false;
        lap_ = time_.now();
        suspicious_ = lap_ - begin_ > too_long;
    }

private:
    TimeSource& time_;
    TimePoint begin_;
    TimePoint lap_;
    bool single_ = true;
    bool untimed_ = false;     // a handler has run without a look at the clock
    bool suspicious_ = false;  // the messages before took too long
};

}  // namespace lanyard::server
