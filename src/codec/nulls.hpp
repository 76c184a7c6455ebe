// Whether a C++ type admits null as its JSON value.
#pragma once

#include "lanyard/reflect/description.hpp"

namespace lanyard::codec {

/// Whether the type admits null. If the codec of the type has its own schema, examines only the
/// root of that schema.
bool admits_null(reflect::Shape const& shape);

}  // namespace lanyard::codec
