// DeadlineHeap: numbers ("slots") ordered by deadline. Any slot can be moved or removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/deadline.hpp"

namespace lanyard {

/// A binary heap; every operation takes at most O(log n). The caller chooses the slots. They should
/// be small numbers, such as those of SlotTable, because they index a vector. Not thread-safe.
class DeadlineHeap {
public:
    bool empty() const noexcept { return heap_.empty(); }
    /// The earliest deadline, or `never` if the heap is empty.
    TimePoint next() const noexcept { return heap_.empty() ? never : heap_.front().at; }
    /// The slot with the earliest deadline; the heap must not be empty.
    std::uint32_t top() const noexcept { return heap_.front().slot; }

    /// Adds a slot with its deadline. The slot must not be in the heap yet.
    void add(std::uint32_t slot, TimePoint at);
    /// Changes the deadline of a slot. The slot must be in the heap.
    void move(std::uint32_t slot, TimePoint at) noexcept;
    /// Removes a slot; does nothing if it is not in the heap.
    void remove(std::uint32_t slot) noexcept;

private:
    struct Entry {
        TimePoint at;
        std::uint32_t slot;
    };
    static constexpr std::uint32_t absent = 0xffffffff;

    void settle(std::size_t position, Entry entry) noexcept;
    void put(std::size_t position, Entry entry) noexcept {
        heap_[position] = entry;
        position_[entry.slot] = static_cast<std::uint32_t>(position);
    }

    std::vector<Entry> heap_;
    std::vector<std::uint32_t> position_;  // for each slot: its index in heap_, or `absent`
};

}  // namespace lanyard
