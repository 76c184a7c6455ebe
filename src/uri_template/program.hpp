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

/// What the text of a run is for its variable.
enum class Role : std::uint8_t {
    item,   ///< the value, or an item of it
    key,    ///< the name of a pair
    value,  ///< the value of a pair
};

/// One state of the automaton. Every cycle contains a literal, so each round of a cycle consumes at
/// least one character.
struct TemplateNode {
    enum class Kind : std::uint8_t {
        literal,  ///< `text`, then `next`
        run,      ///< as many characters of `allowed` as possible, then `next`
        choice,   ///< `next`, or `other` if `next` fails
        accept,   ///< the end of the URI
    };

    Kind kind = Kind::accept;
    Role role = Role::item;
    CharacterSet allowed = no_characters;
    char stop = '\0';                ///< runs only: `next` is tried before consuming this
    bool needs_character = false;    ///< runs only: must consume at least one character
    std::uint16_t limit = no_limit;  ///< runs only: maximum number of characters
    std::uint32_t occurrence = 0;    ///< runs only: index into TemplateProgram::occurrences
    std::uint32_t memo = 0;          ///< runs and choices: index of the node's dead-end record
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
    std::uint32_t memos = 0;          ///< number of dead-end records for nodes without a limit
    std::uint32_t limited_memos = 0;  ///< number of dead-end records for nodes with a limit
};

TemplateProgram compile(Syntax const& syntax);

}  // namespace lanyard::uri_template
