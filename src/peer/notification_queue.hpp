// A bounded queue of notifications that wait for their handlers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lanyard::rpc {

struct NotificationQueueOptions {
    std::size_t capacity = 1'000;
    /// The maximum number of notifications that are handled at the same time. If it is greater than
    /// 1, notifications may be handled in another order than they arrived.
    std::size_t concurrency = 1;
};

/// The queue of one peer. If it is full, the oldest waiting item is dropped, because a later
/// notification of a kind usually supersedes an earlier one. Not thread-safe.
template <class Item>
class NotificationQueue {
public:
    explicit NotificationQueue(NotificationQueueOptions const& options = {}) : options_(options) {}

    /// Appends an item. Returns false if the queue was full and another item was dropped.
    bool push(Item item) {
        bool const full = size_ == std::max<std::size_t>(options_.capacity, 1);
        if (full) {
            take_first();
            ++dropped_;
        }
        if (size_ == ring_.size()) grow();
        ring_[(first_ + size_) % ring_.size()] = std::move(item);
        ++size_;
        return !full;
    }

    /// Returns the next item to handle; nullopt if none is waiting or the concurrency limit is
    /// reached. Call finished() once for each item returned.
    std::optional<Item> start() {
        if (size_ == 0 || running_ >= options_.concurrency) return std::nullopt;
        ++running_;
        return take_first();
    }
    void finished() noexcept { --running_; }

    std::size_t waiting() const noexcept { return size_; }
    std::size_t running() const noexcept { return running_; }
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    Item take_first() {
        Item item = std::exchange(ring_[first_], Item{});
        first_ = (first_ + 1) % ring_.size();
        --size_;
        return item;
    }

    void grow() {
        std::ranges::rotate(ring_, ring_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
        ring_.resize(ring_.empty() ? 4 : 2 * ring_.size());
    }

    NotificationQueueOptions options_;
    std::vector<Item> ring_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
    std::size_t running_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace lanyard::rpc
