// Messages that describe errors in a schema or an instance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schema/program.hpp"

namespace lanyard::schema {

/// Returns the text as a JSON string, truncated if it is long.
std::string quoted(std::string_view text);

/// Returns text such as "a string", "a number or null" or "an array, an object or null".
std::string describe_types(std::uint8_t types);

/// Describes a value briefly: scalars as JSON, otherwise "an array" or "an object".
std::string describe(Json const& value);

/// Returns `must be "a"` or `must be one of "a", "b"`; a long list is truncated.
std::string describe_choices(std::span<Json const> values);

/// The maximum number of names that are compared to find one that the user may have meant.
inline constexpr std::size_t max_hint_candidates = 100;

/// Returns the name that differs from `wanted` only by a typing mistake; empty if there is none.
std::string_view closest_name(std::span<Name const> names, std::string_view wanted);

/// Returns text such as "1 property" or "2 properties".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace lanyard::schema
