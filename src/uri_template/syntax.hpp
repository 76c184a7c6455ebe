// The parts of a URI template (RFC 6570 section 2) and the parser that finds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "uri_template/characters.hpp"

namespace lanyard::uri_template {

/// The behaviour of an operator: a row of the table in RFC 6570 appendix A.
struct Operator {
    char symbol;  ///< '\0' for simple expansion
    std::string_view first;
    char separator;
    bool named;
    std::string_view if_empty;
    CharacterSet allowed;

    bool allows_reserved() const noexcept { return (allowed & reserved) != 0; }
};

inline constexpr std::array operators{
    Operator{'\0', "", ',', false, "", unreserved},
    Operator{'+', "", ',', false, "", unreserved | reserved},
    Operator{'#', "#", ',', false, "", unreserved | reserved},
    Operator{'.', ".", '.', false, "", unreserved},
    Operator{'/', "/", '/', false, "", unreserved},
    Operator{';', ";", ';', true, "", unreserved},
    Operator{'?', "?", '&', true, "=", unreserved},
    Operator{'&', "&", '&', true, "=", unreserved},
};

struct Variable {
    std::uint32_t name = 0;    ///< index into Syntax::names
    std::uint16_t prefix = 0;  ///< maximum number of characters, 0 if there is no prefix modifier
    bool explode = false;
};

struct Expression {
    Operator const* op;
    std::vector<Variable> variables;
};

/// Either literal text, in the form in which it appears in the expansion, or an expression.
using Part = std::variant<std::string, Expression>;

struct Syntax {
    std::vector<Part> parts;
    std::vector<std::string> names;  ///< without duplicates, in order of first occurrence
    bool repeats = false;            ///< whether a name occurs more than once
};

Result<Syntax, DecodeError> parse(std::string_view text);

}  // namespace lanyard::uri_template
