// Whether null is among the values of a type.
#pragma once

#include "lanyard/reflect/description.hpp"

namespace lanyard::codec {

/// For a codec with a schema of its own, as far as the schema says so at its root.
bool admits_null(reflect::Shape const& shape);

}  // namespace lanyard::codec
