// Options to parse a part of a message that has been received.
#pragma once

#include <cstdint>

#include "lanyard/json/document.hpp"

namespace lanyard::json {

/// For text whose size was limited when it was received: by the carrier, or by an earlier parse.
inline constexpr ParseOptions known_text{.max_bytes = SIZE_MAX};

}  // namespace lanyard::json
