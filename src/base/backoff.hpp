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
    double jitter = 0.2;                       ///< Each wait varies by up to this fraction.
    std::optional<std::uint32_t> max_retries;  ///< The number of retries; no limit if not set.
};

/// For a transport that is busy: waits that do not grow and vary by up to 50 %.
constexpr BackoffOptions busy_backoff(std::uint32_t retries, Duration interval) noexcept {
    return {interval, interval, 1, 0.5, retries};
}

/// Growing waits with jitter. Not thread-safe.
class Backoff {
public:
    explicit Backoff(BackoffOptions const& options = {}) noexcept
        : options_(options), base_(options.first) {}

    /// Returns the wait before the next retry, or nullopt when the retries are used up.
    std::optional<Duration> next(Random& random);
    /// Starts over after a success.
    void reset() noexcept {
        base_ = options_.first;
        retries_ = 0;
    }

    std::uint32_t retries() const noexcept { return retries_; }
    /// Returns a wait that next() never exceeds.
    Duration longest_wait() const noexcept;

private:
    BackoffOptions options_;
    Duration base_;
    std::uint32_t retries_ = 0;
};

}  // namespace lanyard
