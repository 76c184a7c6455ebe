// Tombstones: ids of requests that ended without an answer, kept for a while so that a late answer
// is recognised as late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/deadline.hpp"
#include "base/fifo.hpp"

namespace lanyard::rpc {

struct TombstoneOptions {
    Duration ttl;
    Duration sweep_interval;
    /// The maximum number of ids. If the set is full, adding an id removes the oldest one.
    std::size_t capacity;
};

/// A bounded set of ids, each of which expires. Not thread-safe.
class Tombstones {
public:
    explicit Tombstones(TombstoneOptions const& options) noexcept : options_(options) {}

    void add(std::int64_t id, TimePoint now);
    /// Whether the id is in the set and has not expired.
    bool contains(std::int64_t id, TimePoint now) const noexcept;

    /// Removes expired ids, at most once per sweep interval.
    void sweep(TimePoint now);
    /// The time at which sweep() has something to do next; `never` if the set is empty.
    TimePoint next_sweep() const noexcept { return by_age_.empty() ? never : next_sweep_; }

    std::size_t size() const noexcept { return expiry_.size(); }
    /// The number of ids removed before they expired, because the set was full.
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
