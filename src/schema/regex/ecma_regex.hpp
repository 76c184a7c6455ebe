// Reads ECMA-262 patterns (edition 2020, u flag; section 21.2.1) and rewrites them for RE2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lanyard/result.hpp"

namespace lanyard::schema {

/// An error in a pattern, and the byte offset of the error.
struct PatternProblem {
    std::size_t offset;
    std::string message;

    /// Returns text such as "at byte 3: nothing to repeat".
    std::string to_string() const;
};

/// A pattern that is valid ECMA-262.
struct EcmaRegex {
    /// The pattern translated to RE2's syntax. Not usable if `unsupported` is set.
    std::string re2;
    /// The first construct of the pattern that has no equivalent in RE2, if there is one.
    std::optional<PatternProblem> unsupported;

    /// Whether the pattern consists of `literal` only, optionally with a ^ before it (from_start)
    /// and a $ after it (to_end).
    bool plain = true;
    bool from_start = false;
    bool to_end = false;
    std::string literal;
};

/// Checks the syntax and translates the pattern. Fails only if the syntax is wrong.
Result<EcmaRegex, PatternProblem> read_ecma_regex(std::string_view pattern);

}  // namespace lanyard::schema
