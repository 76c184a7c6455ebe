// The last step of compiling: analyzes the finished nodes as a graph.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/program.hpp"

namespace lanyard::schema {

/// Removes detours: a reference to a node that only refers to another node is replaced by a direct
/// reference to the other node. If there is a node that applies itself to the same instance again,
/// returns it, because validation with such a schema would never end.
std::optional<std::uint32_t> link_program(Program& program);

}  // namespace lanyard::schema
