// Tracker: the blocks of memory that are allocated and not yet freed. Allocates nothing itself.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <execinfo.h>
#include <sys/mman.h>

namespace lanyard::torture {

/// A hash table in memory of its own. All functions are thread-safe.
class Tracker {
public:
    static constexpr std::size_t depth = 24;

    struct Entry {
        void const* memory = nullptr;
        std::size_t bytes = 0;
        std::uint64_t number = 0;
        std::array<void*, depth> stack{};
    };

    void add(void const* memory, std::size_t bytes, bool with_stack) noexcept {
        Entry entry{memory, bytes, 0, {}};
        if (with_stack) ::backtrace(entry.stack.data(), depth);
        Lock const lock(*this);
        if (entries_ == nullptr && !make()) return;
        if (count_ > capacity / 2) return;
        entry.number = ++last_;
        auto at = place(memory);
        while (entries_[at].memory != nullptr) at = next(at);
        entries_[at] = entry;
        ++count_;
    }
    /// Forgets the block if it is known.
    void remove(void const* memory) noexcept {
        if (count_.load(std::memory_order_relaxed) == 0) return;
        Lock const lock(*this);
        auto at = place(memory);
        while (entries_[at].memory != memory) {
            if (entries_[at].memory == nullptr) return;
            at = next(at);
        }
        --count_;
        // Moves the entries after the gap forward that would not be found any more.
        for (auto other = next(at); entries_[other].memory != nullptr; other = next(other)) {
            auto const home = place(entries_[other].memory);
            bool const stays =
                at <= other ? at < home && home <= other : at < home || home <= other;
            if (stays) continue;
            entries_[at] = entries_[other];
            at = other;
        }
        entries_[at].memory = nullptr;
    }
    void clear() noexcept {
        Lock const lock(*this);
        last_ = 0;
        if (entries_ == nullptr || count_ == 0) return;
        for (std::size_t i = 0; i < capacity; ++i) entries_[i].memory = nullptr;
        count_ = 0;
    }
    std::size_t count() const noexcept { return count_; }
    template <class F>
    void each(F const& visit) noexcept {
        Lock const lock(*this);
        if (count_ == 0) return;
        for (std::size_t i = 0; i < capacity; ++i) {
            if (entries_[i].memory != nullptr) visit(entries_[i]);
        }
    }

private:
    static constexpr std::size_t capacity = std::size_t{1} << 17;

    class Lock {
    public:
        explicit Lock(Tracker& tracker) noexcept : tracker_(tracker) {
            while (tracker_.locked_.test_and_set(std::memory_order_acquire)) continue;
        }
        ~Lock() { tracker_.locked_.clear(std::memory_order_release); }
        Lock(Lock const&) = delete;
        Lock& operator=(Lock const&) = delete;

    private:
        Tracker& tracker_;
    };

    static std::size_t place(void const* memory) noexcept {
        auto const bits = reinterpret_cast<std::uintptr_t>(memory) >> 4;
        return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15ULL) >> 47);
    }
    static std::size_t next(std::size_t at) noexcept { return (at + 1) % capacity; }

    bool make() noexcept {
        auto* const room = mmap(nullptr, capacity * sizeof(Entry), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) return false;
        entries_ = static_cast<Entry*>(room);
        return true;
    }

    Entry* entries_ = nullptr;
    std::atomic<std::size_t> count_ = 0;
    std::uint64_t last_ = 0;
    std::atomic_flag locked_;
};

}  // namespace lanyard::torture
