// Finds the name that was probably meant by a typing error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanyard::app {

/// Returns the name nearest to the typed one, if it is near enough.
std::optional<std::string> nearest(std::string_view typed, std::vector<std::string> const& names);

/// Returns "; did you mean 'x'?" or, if no name is near, "; " and the alternative.
std::string suggestion(std::string_view typed, std::vector<std::string> const& names,
                       std::string_view alternative);

}  // namespace lanyard::app
