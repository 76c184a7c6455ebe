#include "runtime/post.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace lanyard::runtime {

namespace {

constexpr std::size_t piece_bytes = 256;
constexpr std::size_t piece_count = 256;

// The memory is touched only if memory has run out.
struct Reserve {
    alignas(std::max_align_t) std::array<std::array<std::byte, piece_bytes>, piece_count> pieces;
    std::array<std::atomic_flag, piece_count> taken;
};

constinit Reserve reserve{};

}  // namespace

void* take_reserve(std::size_t bytes) noexcept {
    if (bytes > piece_bytes) return nullptr;
    for (std::size_t i = 0; i < piece_count; ++i) {
        if (!reserve.taken[i].test_and_set(std::memory_order_acquire)) {
            return reserve.pieces[i].data();
        }
    }
    return nullptr;
}

bool give_back_reserve(void* memory) noexcept {
    auto const begin = reinterpret_cast<std::uintptr_t>(reserve.pieces.data());
    auto const at = reinterpret_cast<std::uintptr_t>(memory);
    if (at < begin || at >= begin + sizeof reserve.pieces) return false;
    reserve.taken[(at - begin) / piece_bytes].clear(std::memory_order_release);
    return true;
}

}  // namespace lanyard::runtime
