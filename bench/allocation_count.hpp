// How many allocations a program has made. Link count_allocations.cpp, which replaces operator new.
#pragma once

#include <cstdint>

namespace lanyard::bench {

/// How often operator new has been called so far.
std::uint64_t allocation_count() noexcept;

}  // namespace lanyard::bench
