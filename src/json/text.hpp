// Checks and conversions on pieces of JSON text: numbers, escapes, and the position of errors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lanyard/json/document.hpp"

namespace lanyard::json {

constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

enum class NumberCheck { ok, malformed, out_of_range };

/// Checks the grammar and the range of a number token and sets its kind. An integer beyond 64 bits
/// is accepted as Kind::real if `big_integers` is true; otherwise it is out of range.
NumberCheck check_number(std::string_view token, bool big_integers, Kind& kind) noexcept;

/// Returns the value of a token that check_number() accepted as Kind::real.
double parse_real(std::string_view token) noexcept;

/// Returns the offset of the first bad escape in the characters between two quotes, or nullopt if
/// there is none.
std::optional<std::size_t> find_bad_escape(std::string_view characters) noexcept;

/// The first piece of the (non-empty) characters between two quotes. It is either an escape (valid
/// or not) or all characters before the next escape.
struct StringPiece {
    std::size_t bytes;
    bool lone_surrogate;
};
StringPiece first_piece(std::string_view characters) noexcept;

/// Reserves room for `more` characters at once. A string that grows in small steps is copied
/// several times, and each copy may need memory from the system.
inline void make_room(std::string& out, std::size_t more) {
    auto const wanted = out.size() + more;
    if (wanted > out.capacity()) out.reserve(std::max(wanted, 2 * out.capacity()));
}

/// Appends the characters with their (valid) escapes decoded.
void append_unescaped(std::string& out, std::string_view characters);

/// Returns the offset of the first malformed UTF-8 sequence, or nullopt if the text is well-formed.
std::optional<std::size_t> find_bad_utf8(std::string_view text) noexcept;

/// Returns the length of the well-formed UTF-8 sequence at the beginning of the (non-empty) text,
/// or 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text) noexcept;

}  // namespace lanyard::json
