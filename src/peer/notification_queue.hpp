// A bounded queue of notifications that wait for their handlers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace lanyard::rpc {

/// The queue of one peer, whose items are handled one at a time. The owner decides what happens
/// when the queue is full. Not thread-safe.
template <class Item>
class NotificationQueue {
public:
    explicit NotificationQueue(std::size_t capacity)
        : capacity_(std::max<std::size_t>(capacity, 1)) {}

    /// Appends an item, even if the queue is full.
    void push(Item item) {
        if (size_ == ring_.size()) grow();
        ring_[(first_ + size_) % ring_.size()] = std::move(item);
        ++size_;
    }

    /// Appends an item. If the queue is full, drops the oldest waiting item and returns false.
    /// Dropping the oldest item usually does no harm, because a later notification of the same kind
    /// supersedes it.
    bool push_or_replace(Item item) {
        bool const full = is_full();
        if (full) take_first();
        push(std::move(item));
        return !full;
    }

    /// Returns the next item to handle; nullopt if none is waiting or one is being handled. Call
    /// finished() once for each item returned.
    std::optional<Item> start() {
        if (size_ == 0 || running_) return std::nullopt;
        running_ = true;
        return take_first();
    }
    void finished() noexcept { running_ = false; }

    std::size_t waiting() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    bool is_full() const noexcept { return size_ >= capacity_; }
    /// Whether an item is being handled.
    bool running() const noexcept { return running_; }

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

    std::size_t capacity_;
    std::vector<Item> ring_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
    bool running_ = false;
};

}  // namespace lanyard::rpc
