// Checks the constraints of a field against the JSON value from which the field is decoded.
#pragma once

#include "lanyard/reflect/context.hpp"
#include "lanyard/reflect/description.hpp"

namespace lanyard::codec {

/// Whether a < b. Compares by value, even if the two numbers are of different kinds.
bool less(reflect::Number a, reflect::Number b) noexcept;

/// Checks a value against a field's constraints. As in JSON Schema, a constraint ignores values of
/// kinds to which it does not apply.
bool check_constraints(json::View view, reflect::Constraints const& constraints,
                       DecodeContext& context);

}  // namespace lanyard::codec
