// The search for a path through a template's automaton that consumes a whole URI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "uri_template/program.hpp"

namespace lanyard::uri_template {

/// A node on the path, and where in the URI it was entered.
struct Step {
    NodeIndex node;
    std::uint32_t begin;
    std::uint32_t end;         ///< run: behind the characters taken
    std::uint16_t characters;  ///< run with a limit: how many these are
    bool retreating;           ///< choice: the other one is being tried; run: it gives back
};

/// The runs and choices, in order, of the preferred path that consumes the whole URI. `steps`
/// receives how many nodes were entered and characters looked at.
std::optional<std::vector<Step>> find_path(Program const& program, std::string_view uri,
                                           std::size_t& steps);

}  // namespace lanyard::uri_template
