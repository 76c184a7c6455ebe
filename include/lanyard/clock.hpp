// Time and randomness as injected dependencies: nothing below the transports reads the machine's
// clock or random source by itself, so tests and the simulator decide both.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lanyard {

/// Monotonic time; only differences mean anything.
using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
/// Calendar time, for values that leave the process.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/// Where the time comes from. Implementations are safe to call from any thread.
class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const noexcept = 0;
    virtual WallTime wall() const noexcept = 0;
};

/// The machine's clocks.
Clock const& system_clock() noexcept;

/// Where random bytes come from. Implementations are safe to call from any thread.
class Random {
public:
    virtual ~Random() = default;
    virtual void fill(std::span<std::byte> bytes) = 0;

    /// A number in [0, 1).
    double unit();
    /// 64 random bits.
    std::uint64_t bits();
};

/// The operating system's cryptographic random source.
Random& system_random() noexcept;

}  // namespace lanyard
