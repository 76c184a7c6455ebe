#include "base/deadline_heap.hpp"

namespace lanyard {

void DeadlineHeap::add(std::uint32_t slot, TimePoint at) {
    if (slot >= position_.size()) position_.resize(slot + std::size_t{1}, absent);
    heap_.push_back({at, slot});
    settle(heap_.size() - 1, {at, slot});
}

void DeadlineHeap::move(std::uint32_t slot, TimePoint at) noexcept {
    settle(position_[slot], {at, slot});
}

void DeadlineHeap::remove(std::uint32_t slot) noexcept {
    if (slot >= position_.size() || position_[slot] == absent) return;
    auto const position = position_[slot];
    position_[slot] = absent;
    auto const last = heap_.back();
    heap_.pop_back();
    if (last.slot != slot) settle(position, last);
}

// Puts an entry into the empty place at `position`, then moves it up or down to its proper place.
void DeadlineHeap::settle(std::size_t position, Entry entry) noexcept {
    while (position > 0) {
        auto const parent = (position - 1) / 2;
        if (heap_[parent].at <= entry.at) break;
        put(position, heap_[parent]);
        position = parent;
    }
    for (;;) {
        auto child = 2 * position + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && heap_[child + 1].at < heap_[child].at) ++child;
        if (heap_[child].at >= entry.at) break;
        put(position, heap_[child]);
        position = child;
    }
    put(position, entry);
}

}  // namespace lanyard
