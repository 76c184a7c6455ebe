// PrincipalCounts: the number of requests that are being served for each principal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/relaxed_counter.hpp"
#include "lanyard/auth/verifier.hpp"

namespace lanyard::http {

/// Shared by the connections of all loops of a listener. Thread-safe.
class PrincipalCounts {
private:
    // One counter for each loop. Each counter has its own cache line, so that the loops do not slow
    // each other down.
    struct alignas(64) Counter {
        RelaxedCounter<std::size_t> pending;
    };
    using Counters = std::vector<Counter>;

public:
    /// The counter of one principal on one loop. A connection keeps the slot of its principal, so
    /// that only its first request has to look it up. A slot must be used on its loop only.
    class Slot {
    public:
        Slot() = default;
        Slot(std::shared_ptr<Counters> counters, std::size_t loop) noexcept
            : counters_(std::move(counters)), loop_(loop) {}

        explicit operator bool() const noexcept { return counters_ != nullptr; }
        bool operator==(Slot const&) const = default;

        void add() const noexcept { ++own(); }
        void remove() const noexcept { --own(); }
        /// Whether at least `most` requests are being served. Reads the counters of other loops
        /// only if this loop serves more than its share of `most`. So a principal that sends
        /// requests to several loops at the same time may exceed the limit, but it never doubles
        /// the limit.
        bool full(std::size_t most) const noexcept {
            if (own().value() < most / counters_->size()) return false;
            std::size_t all = 0;
            for (auto const& counter : *counters_) all += counter.pending.value();
            return all >= most;
        }

    private:
        RelaxedCounter<std::size_t>& own() const noexcept { return (*counters_)[loop_].pending; }

        std::shared_ptr<Counters> counters_;
        std::size_t loop_ = 0;
    };

    explicit PrincipalCounts(std::size_t loops = 1) noexcept : loops_(loops) {}

    Slot slot_of(Principal const& principal, std::size_t loop = 0) {
        std::lock_guard const lock(mutex_);
        auto& known = slots_[principal.identity()];
        auto counters = known.lock();
        if (!counters) {
            known = counters = std::make_shared<Counters>(loops_);
            // Counters that no connection keeps any more are removed whenever the table has doubled
            // in size.
            if (slots_.size() > sweep_at_) {
                std::erase_if(slots_, [](auto const& entry) { return entry.second.expired(); });
                sweep_at_ = slots_.size() * 2 + least_sweep;
            }
        }
        return {std::move(counters), loop};
    }

    std::size_t size() const noexcept {
        std::lock_guard const lock(mutex_);
        return slots_.size();
    }

private:
    static constexpr std::size_t least_sweep = 64;

    std::size_t loops_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, std::weak_ptr<Counters>> slots_;
    std::size_t sweep_at_ = least_sweep;
};

}  // namespace lanyard::http
