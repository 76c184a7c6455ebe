// ByteBudget: a limit on the memory that many holders use together, such as the unfinished messages
// of all connections.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lanyard {

/// Thread-safe. Must outlive its shares.
class ByteBudget {
public:
    explicit ByteBudget(std::size_t most) noexcept : most_(most) {}
    ByteBudget(ByteBudget const&) = delete;
    ByteBudget& operator=(ByteBudget const&) = delete;

    std::size_t most() const noexcept { return most_; }
    /// The bytes of all shares together.
    std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
    /// The number of times that a share was not allowed to grow.
    std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }
    void count_refusal() noexcept { refused_.fetch_add(1, std::memory_order_relaxed); }

private:
    friend class BudgetShare;

    std::size_t most_;
    std::atomic<std::size_t> used_ = 0;
    std::atomic<std::uint64_t> refused_ = 0;
};

/// The bytes that one holder uses. As long as they are at most `uncounted`, they do not count, so
/// that a small amount is allowed even if the budget is used up. Destroying the share returns its
/// bytes.
class BudgetShare {
public:
    /// A share without a budget may have any size.
    BudgetShare() = default;
    BudgetShare(ByteBudget* budget, std::size_t uncounted) noexcept
        : budget_(budget), uncounted_(uncounted) {}
    BudgetShare(BudgetShare&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          uncounted_(other.uncounted_),
          counted_(std::exchange(other.counted_, 0)) {}
    BudgetShare& operator=(BudgetShare&& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(uncounted_, other.uncounted_);
        std::swap(counted_, other.counted_);
        return *this;
    }
    ~BudgetShare() { set(0); }

    std::size_t counted() const noexcept { return counted_; }
    /// Whether the budget allows the holder to use this number of bytes instead of its current
    /// number.
    bool allows(std::size_t bytes) const noexcept {
        if (budget_ == nullptr || bytes <= uncounted_) return true;
        return bytes <= budget_->most_ && budget_->used() - counted_ <= budget_->most_ - bytes;
    }
    /// Records that the holder uses `bytes`, whether the budget allows it or not.
    void set(std::size_t bytes) noexcept {
        auto const counted = budget_ != nullptr && bytes > uncounted_ ? bytes : 0;
        if (counted == counted_) return;
        // If the share shrinks, the unsigned difference wraps around, so that adding it subtracts.
        budget_->used_.fetch_add(counted - counted_, std::memory_order_relaxed);
        counted_ = counted;
    }
    /// Same as set(), if the budget allows it. Otherwise counts a refusal, changes nothing and
    /// returns false.
    bool resize(std::size_t bytes) noexcept {
        auto const before = counted_;
        set(bytes);
        if (counted_ <= before || budget_->used() <= budget_->most_) return true;
        set(before);
        budget_->count_refusal();
        return false;
    }

private:
    ByteBudget* budget_ = nullptr;
    std::size_t uncounted_ = 0;
    std::size_t counted_ = 0;
};

}  // namespace lanyard
