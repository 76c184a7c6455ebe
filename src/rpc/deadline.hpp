// Arithmetic on deadlines that saturates instead of overflowing.
#pragma once

#include "lanyard/clock.hpp"

namespace lanyard::rpc {

/// A deadline that never comes.
inline constexpr TimePoint never = TimePoint::max();
/// A waiting time without end.
inline constexpr Duration no_limit = Duration::max();

/// The moment `wait` after `now`; never where that is beyond what a TimePoint holds.
constexpr TimePoint after(TimePoint now, Duration wait) noexcept {
    if (now > TimePoint{} && wait > never - now) return never;
    return now + wait;
}

}  // namespace lanyard::rpc
