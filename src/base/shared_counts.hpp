// SharedCounts: counters of rare events, read and written by any thread.
#pragma once

#include <cstdint>
#include <mutex>

namespace lanyard {

/// `Counts` is a struct whose members are std::uint64_t counters. read() returns a copy of it.
template <class Counts>
class SharedCounts {
public:
    void add(std::uint64_t Counts::* which, std::uint64_t count = 1) noexcept {
        if (count == 0) return;
        std::lock_guard const lock(mutex_);
        counts_.*which += count;
    }
    Counts read() const noexcept {
        std::lock_guard const lock(mutex_);
        return counts_;
    }

private:
    mutable std::mutex mutex_;
    Counts counts_{};
};

}  // namespace lanyard
