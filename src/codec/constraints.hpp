// Checks the constraints of a field against the JSON value it is decoded from.
#pragma once

#include "lanyard/reflect/context.hpp"
#include "lanyard/reflect/description.hpp"

namespace lanyard::codec {

/// Compares by value, whatever the kinds.
bool less(reflect::Number a, reflect::Number b) noexcept;

/// As in JSON Schema, a constraint says nothing about values of another kind than it is for.
bool check_constraints(json::View view, reflect::Constraints const& constraints,
                       DecodeContext& context);

}  // namespace lanyard::codec
