// Backoff: how long to wait before a retry.
#pragma once

#include <cstdint>
#include <optional>

#include "base/deadline.hpp"

namespace lanyard {

struct BackoffOptions {
    Duration first = std::chrono::seconds(1);
    Duration longest = std::chrono::seconds(30);
    double factor = 2;
    double jitter = 0.2;  ///< Each wait varies randomly by up to this fraction.
    std::optional<std::uint32_t> max_retries;  ///< Maximum number of retries; unlimited if not set.
    bool may_exceed = true;  ///< Whether the variation may make a wait longer than `longest`.
};

/// Options for retries while a transport is busy: all waits are equal, apart from a random
/// variation of up to 50 %.
constexpr BackoffOptions busy_backoff(std::uint32_t retries, Duration interval) noexcept {
    return {interval, interval, 1, 0.5, retries};
}

/// Computes the waits before retries. Not thread-safe.
class Backoff {
public:
    explicit Backoff(BackoffOptions const& options = {}) noexcept
        : options_(options), base_(options.first) {}

    /// Returns the wait before the next retry, or nullopt if max_retries is reached.
    std::optional<Duration> next(Random& random);
    /// Call this after a success. The next wait is then `first` again.
    void reset() noexcept {
        base_ = options_.first;
        retries_ = 0;
    }

    std::uint32_t retries() const noexcept { return retries_; }
    /// Returns an upper bound of the waits that next() returns.
    Duration longest_wait() const noexcept;

private:
    BackoffOptions options_;
    Duration base_;
    std::uint32_t retries_ = 0;
};

}  // namespace lanyard
