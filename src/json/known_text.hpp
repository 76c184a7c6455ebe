// Options to parse a part of a message that has been received.
#pragma once

#include <cstdint>

#include "lanyard/json/document.hpp"

namespace lanyard::json {

/// For text whose size has already been limited: by the carrier (the transport or HTTP endpoint)
/// that received it, or by an earlier parse.
inline constexpr ParseOptions known_text{.max_bytes = SIZE_MAX};

}  // namespace lanyard::json
