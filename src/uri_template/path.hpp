// The search for a path through a template's automaton that consumes a whole URI.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Depth-first search in the order of preference. Dead ends are remembered, so that no node is
/// tried twice at the same place: the time is linear in the length of the URI, whatever the
/// template.
class PathFinder {
public:
    PathFinder(Program const& program, std::string_view uri) noexcept
        : program_(program),
          uri_(uri),
          budget_(steps_per_place * program.nodes.size() * (uri.size() + 1)) {}

    bool find();

    /// The runs and choices of the path that was found, in order.
    std::vector<Step> const& path() const noexcept { return path_; }
    /// Nodes entered and characters looked at.
    std::size_t steps() const noexcept { return steps_; }

private:
    // Without limits a search takes less than four.
    static constexpr std::size_t steps_per_place = 8;

    struct Place {
        NodeIndex node;
        std::uint32_t at;
    };
    enum class Outcome { go_on, dead_end, found };

    Outcome enter(Place& place);
    bool back_up(Place& place);
    bool advance(Step& run);
    bool retreat(Step& run);
    std::uint32_t unit_size(std::uint32_t at, CharacterSet allowed) const noexcept;
    bool counts(Node const& node, std::uint32_t at) const noexcept;
    bool is_at(std::uint32_t at, char c) const noexcept {
        return at < uri_.size() && uri_[at] == c;
    }

    bool is_dead_end(Node const& node, std::uint32_t at, std::uint16_t characters) const noexcept;
    void remember_dead_end(Node const& node, std::uint32_t at, std::uint16_t characters);
    std::size_t memo_index(Node const& node, std::uint32_t at) const noexcept {
        return node.memo * (uri_.size() + 1) + at;
    }

    Program const& program_;
    std::string_view uri_;
    std::size_t budget_;
    std::size_t steps_ = 0;
    std::vector<Step> path_;
    // Filled from the first dead end on; most URIs match or fail without one.
    std::vector<bool> dead_ends_;
    // For runs with a limit: the least number of characters taken with which the place is a dead
    // end.
    std::vector<std::uint16_t> limited_dead_ends_;
};

}  // namespace lanyard::uri_template
