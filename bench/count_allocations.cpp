#include "allocation_count.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> count = 0;

void add_one() noexcept {
    count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

#ifdef __GLIBC__

// All allocations go through these functions: operator new, Asio's aligned_alloc, C libraries. The
// memory itself comes from glibc, which also frees it.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
    add_one();
    return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) noexcept {
    add_one();
    return __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
    add_one();
    return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    add_one();
    return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    add_one();
    *memory = __libc_memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
}

#else

void* operator new(std::size_t size) {
    add_one();
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

#endif

namespace lanyard::bench {

std::uint64_t allocation_count() noexcept {
    return count.load(std::memory_order_relaxed);
}

}  // namespace lanyard::bench
