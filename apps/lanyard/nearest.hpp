// Finds the name that the user probably meant when a typed name is unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanyard::app {

/// Returns the name that is nearest to the typed text, if it is near enough.
std::optional<std::string> nearest(std::string_view typed, std::vector<std::string> const& names);

/// Returns "; did you mean 'x'?" if a name is near enough, otherwise "; " and the alternative text.
std::string suggestion(std::string_view typed, std::vector<std::string> const& names,
                       std::string_view alternative);

}  // namespace lanyard::app
