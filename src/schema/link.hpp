// The last step of compiling: looks at the finished nodes as a graph.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/program.hpp"

namespace lanyard::schema {

/// Skips nodes that do nothing but refer to another. Returns a node that applies itself to the same
/// instance again, if there is one: such a schema never comes to an end.
std::optional<std::uint32_t> link_program(Program& program);

}  // namespace lanyard::schema
