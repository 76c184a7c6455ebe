// The methods of HTTP that the library tells apart.
#pragma once

#include <cstdint>

namespace lanyard::http {

enum class Method : std::uint8_t { get, post, delete_, options, other };

}  // namespace lanyard::http
