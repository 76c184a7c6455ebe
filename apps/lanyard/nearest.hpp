// The name that a typing error meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanyard::app {

/// The name nearest to what was typed, where one is near enough to be meant.
std::optional<std::string> nearest(std::string_view typed, std::vector<std::string> const& names);

/// "; did you mean 'x'?" or, where no name is near, "; " and the alternative.
std::string suggestion(std::string_view typed, std::vector<std::string> const& names,
                       std::string_view alternative);

}  // namespace lanyard::app
