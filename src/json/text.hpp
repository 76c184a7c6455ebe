// Checks and conversions on pieces of JSON text: numbers, escapes, and where a bad text goes wrong.
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

/// Checks the grammar and range of a number token and tells its kind.
NumberCheck check_number(std::string_view token, bool big_integers, Kind& kind) noexcept;

/// The value of a token that check_number accepted as Kind::real.
double parse_real(std::string_view token) noexcept;

/// The offset of the first bad escape in the characters between two quotes, if there is one.
std::optional<std::size_t> find_bad_escape(std::string_view characters) noexcept;

/// What the (non-empty) characters between two quotes begin with: an escape, valid or not, or all
/// that stands before the next one.
struct StringPiece {
    std::size_t bytes;
    bool lone_surrogate;
};
StringPiece first_piece(std::string_view characters) noexcept;

/// Makes room for so many more characters at once. A string that grows bit by bit is copied several
/// times, and its memory may come from the system anew for each.
inline void make_room(std::string& out, std::size_t more) {
    auto const wanted = out.size() + more;
    if (wanted > out.capacity()) out.reserve(std::max(wanted, 2 * out.capacity()));
}

/// Appends the characters with their (valid) escapes decoded.
void append_unescaped(std::string& out, std::string_view characters);

/// The offset of the first byte that does not continue valid UTF-8, if there is one.
std::optional<std::size_t> find_bad_utf8(std::string_view text) noexcept;

/// Length of the well-formed UTF-8 sequence at the beginning of the (non-empty) text, 0 if none.
std::size_t utf8_sequence_length(std::string_view text) noexcept;

}  // namespace lanyard::json
