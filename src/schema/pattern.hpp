// Pattern: the regular expressions of JSON Schema (ECMA-262, u flag), run by RE2 in linear time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lanyard/result.hpp"

namespace re2 {
class RE2;
}

namespace lanyard::schema {

/// A compiled pattern. Thread-safe. The time to match is linear in the text: for a hostile pattern
/// up to ten microseconds per byte.
class Pattern {
public:
    /// Translates an ECMA-262 pattern (u flag semantics) to RE2. The error names the unsupported
    /// construct and its position: "at byte 3: lookahead (?= is not supported".
    static Result<Pattern, std::string> compile(std::string_view ecma);

    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

    /// Whether the pattern matches anywhere in the text.
    bool matches(std::string_view utf8) const noexcept;

    /// The number of instructions, at most about 300 000; zero for anchored literals. Each
    /// instruction takes about half a microsecond to compile and 16 bytes of memory.
    std::size_t size() const noexcept;

private:
    // A literal with ^ or $ is compared directly, without RE2, because most patterns of
    // patternProperties are prefixes such as "^x-".
    enum class Kind : std::uint8_t { regex, prefix, suffix, whole };

    Pattern(Kind kind, std::string literal) noexcept;
    explicit Pattern(std::unique_ptr<re2::RE2 const> regex) noexcept;

    Kind kind_;
    std::string literal_;
    std::unique_ptr<re2::RE2 const> regex_;
};

}  // namespace lanyard::schema
