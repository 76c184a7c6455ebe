// Fifo: a queue that allocates nothing until its first item. An empty std::deque already takes half
// a kilobyte, which adds up with thousands of queues.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lanyard {

/// A queue. Adding an item invalidates references to the items; removing one does not invalidate
/// references to the other items.
template <class T>
class Fifo {
public:
    bool empty() const noexcept { return first_ == items_.size(); }
    std::size_t size() const noexcept { return items_.size() - first_; }

    T& front() noexcept { return items_[first_]; }
    T const& front() const noexcept { return items_[first_]; }
    auto begin() const noexcept { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
    auto end() const noexcept { return items_.end(); }

    template <class... Arguments>
    T& emplace_back(Arguments&&... arguments) {
        // Compacts only if at least half of the vector consists of removed items. The other items
        // then move into the first half and are removed before the next compaction, so each item
        // moves at most once.
        if (first_ > 0 && items_.size() == items_.capacity() && first_ >= size()) compact();
        return items_.emplace_back(std::forward<Arguments>(arguments)...);
    }
    void push_back(T item) { emplace_back(std::move(item)); }

    void pop_front() {
        items_[first_++] = T();
        if (empty()) clear();
    }
    void clear() noexcept {
        items_.clear();
        first_ = 0;
    }

private:
    void compact() {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }

    std::vector<T> items_;
    std::size_t first_ = 0;  // index of the front item; the items before it were removed
};

}  // namespace lanyard
