// The version of the library; CMake and the package files take it from here.
#pragma once

#include <string_view>

#define LANYARD_VERSION_MAJOR 0
#define LANYARD_VERSION_MINOR 1
#define LANYARD_VERSION_PATCH 0
#define LANYARD_VERSION_STRING "0.1.0"

namespace lanyard {

/// The version of the headers that a program was compiled with, as "major.minor.patch".
inline constexpr std::string_view library_version = LANYARD_VERSION_STRING;

}  // namespace lanyard
