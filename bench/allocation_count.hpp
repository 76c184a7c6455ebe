// How many allocations a program has made. Link count_allocations.cpp, which replaces malloc.
#pragma once

#include <cstdint>

namespace lanyard::bench {

/// How often memory has been asked for so far: malloc and its relatives with glibc, operator new
/// elsewhere.
std::uint64_t allocation_count() noexcept;

}  // namespace lanyard::bench
