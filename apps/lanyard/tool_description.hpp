// The complete description of one tool as text.
#pragma once

#include <cstddef>
#include <ostream>

#include "lanyard/protocol/tool.hpp"

namespace lanyard::app {

/// Prints all that a server says about a tool: name, title, description, each argument with its
/// type, limits, default, choices and description, the members of its result, and its hints. Lines
/// have at most `width` columns; if `width` is 0, there is no limit.
void describe(std::ostream& out, Tool const& tool, std::size_t width);

}  // namespace lanyard::app
