// Counts the allocations of a program. Link count_allocations.cpp, which replaces malloc.
#pragma once

#include <cstdint>

namespace lanyard::bench {

/// Returns the number of allocations so far: calls of malloc and related functions with glibc, of
/// operator new elsewhere.
std::uint64_t allocation_count() noexcept;

}  // namespace lanyard::bench
