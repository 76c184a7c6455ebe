// The HTTP methods that the library distinguishes.
#pragma once

#include <cstdint>

namespace lanyard::http {

enum class Method : std::uint8_t { get, post, delete_, options, other };

}  // namespace lanyard::http
