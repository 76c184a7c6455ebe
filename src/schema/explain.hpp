// Words for what is wrong with a schema or an instance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schema/program.hpp"

namespace lanyard::schema {

/// The text as a JSON string; a long one is cut.
std::string quoted(std::string_view text);

/// "a string", "a number or null", "an array, an object or null".
std::string describe_types(std::uint8_t types);

/// A value in few words: scalars as JSON, "an array", "an object".
std::string describe(Json const& value);

/// "must be "a"" or "must be one of "a", "b""; a long list is cut.
std::string describe_choices(std::span<Json const> values);

/// How many names are worth comparing for a hint.
inline constexpr std::size_t max_hint_candidates = 100;

/// The name that differs from the wanted one by a slip of the pen; empty where there is none.
std::string_view closest_name(std::span<Name const> names, std::string_view wanted);

/// "1 property", "2 properties".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace lanyard::schema
