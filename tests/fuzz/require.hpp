// Checks the properties that a fuzz target expects; unlike assert, in every build.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace lanyard::fuzz {

inline void require(bool holds, char const* broken) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", broken);
    std::abort();
}

}  // namespace lanyard::fuzz
