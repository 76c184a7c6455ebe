// Records in reusable slots, found by hash: the storage under the correlator, the inbound registry
// and the keyed rate limiter. Steady traffic allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanyard::rpc {

/// Spreads the bits of a key over the whole word, so that neighbouring keys land far apart.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdULL;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53ULL;
    return value ^ (value >> 33);
}

/// Slots holding T, with an open-addressing index from hash to slot number. A recycled slot keeps
/// its T, and with it the memory its members have acquired. Not thread-safe.
template <class T>
class SlotTable {
public:
    static constexpr std::uint32_t none = 0xffffffff;

    /// The indexed slot with this hash for which `matches(record)` holds, or none.
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

    /// Takes a slot and indexes it. The record holds whatever its former use left there.
    std::uint32_t add(std::uint64_t hash) {
        auto const slot = take();
        index(hash, slot);
        return slot;
    }

    /// Takes a slot without indexing it: it is in use, but not found.
    std::uint32_t take() {
        std::uint32_t slot = 0;
        if (free_.empty()) {
            slot = static_cast<std::uint32_t>(records_.size());
            records_.emplace_back();
            free_.reserve(records_.capacity());
        } else {
            slot = free_.back();
            free_.pop_back();
        }
        return slot;
    }

    /// Indexes a slot that is in use and not in the index.
    void index(std::uint64_t hash, std::uint32_t slot) {
        if (2 * (indexed_ + 1) > index_.size()) grow_index();
        place({static_cast<std::uint32_t>(hash), slot});
        ++indexed_;
    }

    /// Takes an indexed slot out of the index: it is no longer found but still in use.
    void unindex(std::uint64_t hash, std::uint32_t slot) noexcept {
        auto hole = static_cast<std::uint32_t>(hash) & mask();
        while (index_[hole].slot != slot) hole = (hole + 1) & mask();
        // Entries behind the hole move up where that brings them no nearer than their own place.
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

    /// Gives a slot back that is not in the index any more.
    void recycle(std::uint32_t slot) noexcept { free_.push_back(slot); }

    T& operator[](std::uint32_t slot) noexcept { return records_[slot]; }
    T const& operator[](std::uint32_t slot) const noexcept { return records_[slot]; }

    std::size_t indexed() const noexcept { return indexed_; }
    /// Slots that were added and not recycled, indexed or not.
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

    void grow_index() {
        auto const old =
            std::exchange(index_, std::vector<Entry>(index_.empty() ? 8 : 2 * index_.size()));
        for (auto const& entry : old) {
            if (entry.slot != none) place(entry);
        }
    }

    std::vector<T> records_;
    std::vector<std::uint32_t> free_;
    std::vector<Entry> index_;  // size is zero or a power of two, at most half full
    std::size_t indexed_ = 0;
};

}  // namespace lanyard::rpc
