// Ids of requests that ended without their answer, kept for a while so that a late answer is
// recognised as late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/fifo.hpp"
#include "rpc/deadline.hpp"

namespace lanyard::rpc {

struct TombstoneOptions {
    Duration ttl;
    Duration sweep_interval;
    std::size_t capacity;  ///< Beyond this the oldest make room.
};

/// A bounded set of ids, each of which expires. Not thread-safe.
class Tombstones {
public:
    explicit Tombstones(TombstoneOptions const& options) noexcept : options_(options) {}

    void add(std::int64_t id, TimePoint now);
    /// True where the id is here and its time is not over.
    bool contains(std::int64_t id, TimePoint now) const noexcept;

    /// Forgets what has expired, at most once per sweep interval.
    void sweep(TimePoint now);
    /// When sweep() next has something to do, or never.
    TimePoint next_sweep() const noexcept { return by_age_.empty() ? never : next_sweep_; }

    std::size_t size() const noexcept { return expiry_.size(); }
    /// How many were forgotten before their time, for want of room.
    std::uint64_t evicted() const noexcept { return evicted_; }

private:
    void forget_oldest();

    TombstoneOptions options_;
    std::unordered_map<std::int64_t, TimePoint> expiry_;
    Fifo<std::int64_t> by_age_;
    TimePoint next_sweep_ = never;
    std::uint64_t evicted_ = 0;
};

}  // namespace lanyard::rpc
