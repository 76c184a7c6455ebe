// A template compiled for matching URIs: a nondeterministic automaton.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "uri_template/characters.hpp"
#include "uri_template/syntax.hpp"

namespace lanyard::uri_template {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = std::numeric_limits<NodeIndex>::max();
inline constexpr std::uint16_t no_limit = std::numeric_limits<std::uint16_t>::max();

/// The meaning of the characters that a node of Kind::run consumes.
enum class RunRole : std::uint8_t {
    item,   ///< the value of the variable, or one item of a list
    key,    ///< the name in a name=value pair
    value,  ///< the value in a name=value pair
};

/// One state of the automaton. Every cycle contains a literal, so each pass through a cycle
/// consumes at least one character.
struct TemplateNode {
    enum class Kind : std::uint8_t {
        literal,  ///< matches `text`, continues with `next`
        run,      ///< consumes as many `allowed` characters as possible, continues with `next`
        choice,   ///< tries `next`, then `other` if `next` fails
        accept,   ///< matches the end of the URI
    };

    Kind kind = Kind::accept;
    RunRole role = RunRole::item;
    CharacterSet allowed = no_characters;
    /// For Kind::run: before the node consumes this character, `next` is tried.
    char stop = '\0';
    /// For Kind::run: whether the node must consume at least one character.
    bool needs_character = false;
    /// For Kind::run: the maximum number of characters.
    std::uint16_t limit = no_limit;
    /// For Kind::run: index into TemplateProgram::occurrences.
    std::uint32_t occurrence = 0;
    /// For Kind::run and Kind::choice: index of the record of positions where the node failed.
    std::uint32_t memo = 0;
    NodeIndex next = no_node;
    NodeIndex other = no_node;
    std::string text{};

    bool is_limited() const noexcept { return limit != no_limit; }
};

/// One occurrence of a variable in the template.
struct Occurrence {
    Variable variable;
    Operator const* op;
    std::uint32_t expression;
};

struct TemplateProgram {
    std::vector<TemplateNode> nodes;
    NodeIndex start = 0;
    std::vector<Occurrence> occurrences;
    std::uint32_t memos = 0;          ///< number of `memo` indexes of nodes without a limit
    std::uint32_t limited_memos = 0;  ///< number of `memo` indexes of nodes with a limit
};

TemplateProgram compile(Syntax const& syntax);

}  // namespace lanyard::uri_template
