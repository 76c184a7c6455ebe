// Time and randomness as injected dependencies. Code in the layers below the transports never reads
// the system's clock or random source directly, so tests and the simulator can control time and
// randomness.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lanyard {

/// Monotonic time; only differences are meaningful.
using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
/// Calendar time, for values that leave the process.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/// A source of time. Implementations are thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const noexcept = 0;
    virtual WallTime wall() const noexcept = 0;
};

/// The system's clocks.
Clock const& system_clock() noexcept;

/// A source of random bytes. Implementations are thread-safe.
class Random {
public:
    virtual ~Random() = default;
    virtual void fill(std::span<std::byte> bytes) = 0;

    /// Returns a number in [0, 1).
    double unit();
    /// Returns 64 random bits.
    std::uint64_t bits();
};

/// The operating system's cryptographic random source.
Random& system_random() noexcept;

}  // namespace lanyard
