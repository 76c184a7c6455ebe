// RelaxedCounter: a number that one thread changes and any thread reads.
#pragma once

#include <atomic>
#include <concepts>

namespace lanyard {

/// Only one thread at a time may change the counter. So a change consists of a load and a store,
/// which are cheaper than an atomic increment. A reader on another thread gets a recent value.
template <std::unsigned_integral N>
class RelaxedCounter {
public:
    N value() const noexcept { return value_.load(std::memory_order_relaxed); }
    void set(N value) noexcept { value_.store(value, std::memory_order_relaxed); }
    RelaxedCounter& operator+=(N amount) noexcept {
        set(value() + amount);
        return *this;
    }
    RelaxedCounter& operator++() noexcept { return *this += 1; }
    RelaxedCounter& operator--() noexcept {
        set(value() - 1);
        return *this;
    }

private:
    std::atomic<N> value_{0};
};

}  // namespace lanyard
