// Token buckets: one, and many by key with a bound on their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rpc/deadline.hpp"
#include "rpc/deadline_heap.hpp"
#include "rpc/slot_table.hpp"

namespace lanyard::rpc {

/// How much is let through: `burst` at once, and `per_second` in the long run. Rates below one
/// token a year and above one a nanosecond are taken as those.
struct Rate {
    double per_second = 10;
    std::uint32_t burst = 10;
};

/// A token bucket, full at the start. In any stretch of time t it lets at most per_second * t +
/// burst through. Its whole state is the moment at which it is full again. Not thread-safe.
class TokenBucket {
public:
    explicit TokenBucket(Rate rate = {}) noexcept;

    /// Takes tokens if that many are there.
    bool take(TimePoint now, std::uint32_t tokens = 1) noexcept;
    /// How long until that many are there: zero for now, no_limit for more than the burst.
    Duration wait(TimePoint now, std::uint32_t tokens = 1) const noexcept;

    TimePoint full_at() const noexcept { return full_at_; }

private:
    Duration interval_;  // for one token
    Duration depth_;     // for the whole burst
    TimePoint full_at_ = TimePoint::min();
};

struct KeyedRateOptions {
    Rate rate;
    std::size_t max_keys = 10'000;
    std::uint64_t hash_seed = 0;  ///< Random, so that keys that collide cannot be prepared.
};

/// One token bucket per key (a client, a tool). A bucket that is full again says nothing, so it is
/// what makes room for a new key; where none is full, new keys are refused. Not thread-safe.
class KeyedRateLimiter {
public:
    explicit KeyedRateLimiter(KeyedRateOptions const& options = {}) : options_(options) {}

    bool take(std::string_view key, TimePoint now, std::uint32_t tokens = 1);
    /// How long at least until take() succeeds for this key.
    Duration wait(std::string_view key, TimePoint now, std::uint32_t tokens = 1);

    std::size_t keys() const noexcept { return buckets_.indexed(); }
    /// How often a key was refused because there was no room for its bucket.
    std::uint64_t refused_for_room() const noexcept { return refused_for_room_; }

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
    // By the moment a bucket was known to be full; taking tokens makes that later, and the heap
    // learns of it when room is needed.
    DeadlineHeap full_;
    std::uint64_t refused_for_room_ = 0;
};

}  // namespace lanyard::rpc
