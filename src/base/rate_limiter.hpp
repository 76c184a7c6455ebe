// TokenBucket: a rate limit. KeyedRateLimiter: one rate limit per key, for a bounded number of
// keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/deadline.hpp"
#include "base/deadline_heap.hpp"
#include "base/slot_table.hpp"

namespace lanyard {

/// A rate limit: `burst` tokens at once, and `per_second` in the long run. The rate is clamped: at
/// least one token per year, at most one token per nanosecond.
struct Rate {
    double per_second = 10;
    std::uint32_t burst = 10;
};

/// A token bucket, initially full. In any period t it allows at most per_second * t + burst tokens.
/// Its only state is the time at which it is full again. Not thread-safe.
class TokenBucket {
public:
    explicit TokenBucket(Rate rate = {}) noexcept;

    /// Takes this many tokens if they are available; returns whether they were.
    bool take(TimePoint now, std::uint32_t tokens = 1) noexcept;
    /// Returns how long it takes until this many tokens are available: zero if they are available
    /// now, no_limit if they are more than the burst.
    Duration wait(TimePoint now, std::uint32_t tokens = 1) const noexcept;

    TimePoint full_at() const noexcept { return full_at_; }

private:
    Duration interval_;  // the time in which one token is added
    Duration depth_;     // the time in which the whole burst is added
    TimePoint full_at_ = TimePoint::min();
};

struct KeyedRateOptions {
    Rate rate;
    std::size_t max_keys = 10'000;
    /// Should be random, so that clients cannot prepare keys that collide.
    std::uint64_t hash_seed = 0;
};

/// One token bucket per key (a client, a tool). A full bucket is equivalent to a new one, so it can
/// be given to another key. If there are already max_keys keys, a new key takes over a full bucket.
/// If no bucket is full, the new key is refused. Not thread-safe.
class KeyedRateLimiter {
public:
    explicit KeyedRateLimiter(KeyedRateOptions const& options = {}) : options_(options) {}

    bool take(std::string_view key, TimePoint now, std::uint32_t tokens = 1);

    std::size_t keys() const noexcept { return buckets_.indexed(); }

private:
    struct Bucket {
        std::string key;
        TokenBucket bucket;
    };

    std::uint64_t hash(std::string_view key) const noexcept;
    std::uint32_t find(std::string_view key) const;
    bool make_room(TimePoint now);

    KeyedRateOptions options_;
    SlotTable<Bucket> buckets_;
    // The slots of buckets_, ordered by the time at which each bucket is full again. A time in the
    // heap may be too early: taking tokens delays the time, but the heap is updated only when a
    // bucket for a new key is needed.
    DeadlineHeap full_;
};

}  // namespace lanyard
