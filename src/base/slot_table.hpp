// SlotTable: records in reusable slots, looked up by hash. Used by Correlator, InboundRequests and
// KeyedRateLimiter. Because slots are reused, steady traffic does not allocate memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanyard {

/// Spreads the bits of a key over the whole word, so that similar keys get very different hashes.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdULL;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53ULL;
    return value ^ (value >> 33);
}

/// Slots that hold objects of type T, with an open-addressing index from hash to slot number. A
/// recycled slot keeps its T, including the memory that the members of T have acquired. Not
/// thread-safe.
template <class T>
class SlotTable {
public:
    static constexpr std::uint32_t none = 0xffffffff;

    /// Returns the indexed slot that has this hash and for which `matches(record)` is true. Returns
    /// `none` if there is no such slot.
    template <class Matches>
    std::uint32_t find(std::uint64_t hash, Matches&& matches) const {
        if (index_.empty()) return none;
        auto const wanted = static_cast<std::uint32_t>(hash);
        for (auto at = wanted & mask();; at = (at + 1) & mask()) {
            auto const& entry = index_[at];
            if (entry.slot == none) return none;
            if (entry.hash == wanted && matches(records_[entry.slot])) return entry.slot;
        }
    }

    /// Takes a free slot, or adds a new slot if none is free. Indexes the slot by this hash. The
    /// record in a reused slot still has the content of its previous use.
    std::uint32_t add(std::uint64_t hash) {
        make_room_in_index();
        auto const slot = take();
        place({static_cast<std::uint32_t>(hash), slot});
        ++indexed_;
        return slot;
    }

    /// Takes a slot like add(), but does not index it: the slot is in use, but find() does not
    /// return it.
    std::uint32_t take() {
        std::uint32_t slot = 0;
        if (free_.empty()) {
            if (records_.size() == records_.capacity()) grow_records();
            slot = static_cast<std::uint32_t>(records_.size());
            records_.emplace_back();
        } else {
            slot = free_.back();
            free_.pop_back();
        }
        return slot;
    }

    /// Adds a slot to the index. The slot must be in use and must not be in the index yet.
    void index(std::uint64_t hash, std::uint32_t slot) {
        make_room_in_index();
        place({static_cast<std::uint32_t>(hash), slot});
        ++indexed_;
    }

    /// Removes a slot from the index: it is still in use, but find() no longer returns it.
    void unindex(std::uint64_t hash, std::uint32_t slot) noexcept {
        auto hole = static_cast<std::uint32_t>(hash) & mask();
        while (index_[hole].slot != slot) hole = (hole + 1) & mask();
        // Closes the hole: moves later entries into it, except those whose home position (the
        // position given by their hash) comes after the hole.
        for (auto at = (hole + 1) & mask(); index_[at].slot != none; at = (at + 1) & mask()) {
            auto const home = index_[at].hash & mask();
            if (((at - home) & mask()) >= ((at - hole) & mask())) {
                index_[hole] = index_[at];
                hole = at;
            }
        }
        index_[hole].slot = none;
        --indexed_;
    }

    /// Makes a slot available for add() and take(). The slot must be in use and must not be in the
    /// index.
    void recycle(std::uint32_t slot) noexcept { free_.push_back(slot); }

    T& operator[](std::uint32_t slot) noexcept { return records_[slot]; }
    T const& operator[](std::uint32_t slot) const noexcept { return records_[slot]; }

    std::size_t indexed() const noexcept { return indexed_; }
    /// The number of slots that were taken and not recycled, indexed or not.
    std::size_t in_use() const noexcept { return records_.size() - free_.size(); }

    /// Calls `visit(slot)` for every indexed slot, in no particular order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (auto const& entry : index_) {
            if (entry.slot != none) visit(entry.slot);
        }
    }

private:
    struct Entry {
        std::uint32_t hash = 0;
        std::uint32_t slot = none;
    };

    std::uint32_t mask() const noexcept { return static_cast<std::uint32_t>(index_.size() - 1); }

    void place(Entry entry) noexcept {
        auto at = entry.hash & mask();
        while (index_[at].slot != none) at = (at + 1) & mask();
        index_[at] = entry;
    }

    // free_ always has room for all slots, so that recycle() cannot fail.
    void grow_records() {
        auto const room = records_.empty() ? 1 : 2 * records_.size();
        free_.reserve(room);
        records_.reserve(room);
    }

    void make_room_in_index() {
        if (2 * (indexed_ + 1) > index_.size()) grow_index();
    }
    void grow_index() {
        auto const old =
            std::exchange(index_, std::vector<Entry>(index_.empty() ? 8 : 2 * index_.size()));
        for (auto const& entry : old) {
            if (entry.slot != none) place(entry);
        }
    }

    std::vector<T> records_;
    std::vector<std::uint32_t> free_;
    std::vector<Entry> index_;  // size: 0 or a power of two; at most half of the entries are used
    std::size_t indexed_ = 0;
};

}  // namespace lanyard
