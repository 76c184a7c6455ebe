// Arithmetic on deadlines that saturates instead of overflowing.
#pragma once

#include "lanyard/clock.hpp"

namespace lanyard {

/// The deadline of an operation that has no time limit; later than all other deadlines.
inline constexpr TimePoint never = TimePoint::max();
/// An unlimited waiting time.
inline constexpr Duration no_limit = Duration::max();

/// Returns the sum `now + wait`, or `never` if a TimePoint cannot represent the sum.
constexpr TimePoint after(TimePoint now, Duration wait) noexcept {
    if (now > TimePoint{} && wait > never - now) return never;
    return now + wait;
}

}  // namespace lanyard
