// Whether null is among the values of a type.
#pragma once

#include "lanyard/reflect/description.hpp"

namespace lanyard::codec {

/// For a codec with its own schema, only the root of the schema is examined.
bool admits_null(reflect::Shape const& shape);

}  // namespace lanyard::codec
