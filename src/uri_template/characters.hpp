// The character classes of RFC 6570 section 1.5 and percent-encoding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lanyard::uri_template {

/// A set of character classes, one bit each.
using CharacterSet = std::uint8_t;
inline constexpr CharacterSet no_characters = 0;
inline constexpr CharacterSet unreserved = 1;
inline constexpr CharacterSet reserved = 2;
inline constexpr CharacterSet comma = 4;  // the comma; also in `reserved`
inline constexpr CharacterSet hex_digit = 8;
inline constexpr CharacterSet name_character = 16;
inline constexpr CharacterSet literal_character = 32;  // may appear outside of expressions

inline constexpr auto character_table = [] {
    std::array<CharacterSet, 256> table{};
    auto const add = [&](std::string_view characters, int set) {
        for (char const c : characters) {
            auto& entry = table[static_cast<unsigned char>(c)];
            entry = static_cast<CharacterSet>(entry | set);
        }
    };
    add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
        unreserved | name_character | literal_character);
    add("-.~", unreserved | literal_character);
    add(":/?#[]@!$&'()*+,;=", reserved | literal_character);
    add(",", comma);
    add("0123456789ABCDEFabcdef", hex_digit);
    // Characters beyond ASCII may appear outside of expressions; the expansion percent-encodes
    // them.
    for (std::size_t c = 128; c < table.size(); ++c) table[c] = literal_character;
    return table;
}();

constexpr bool is(char c, CharacterSet set) noexcept {
    return (character_table[static_cast<unsigned char>(c)] & set) != 0;
}

/// Whether a percent-encoded byte ("%XX", a triplet) begins at this position.
constexpr bool is_triplet(std::string_view text, std::size_t at) noexcept {
    return text[at] == '%' && at + 2 < text.size() && is(text[at + 1], hex_digit) &&
           is(text[at + 2], hex_digit);
}

/// Returns the byte that the triplet at this position stands for.
constexpr char triplet_byte(std::string_view text, std::size_t at) noexcept {
    auto const digit = [&](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    return static_cast<char>(digit(text[at + 1]) << 4 | digit(text[at + 2]));
}

/// Whether a byte begins a UTF-8 character, that is, does not continue one.
constexpr bool begins_character(char byte) noexcept {
    return (byte & 0xC0) != 0x80;
}

/// Appends the text, percent-encoding every character outside the set. If the set includes the
/// reserved characters, triplets ("%XX") in the text stay as they are.
void append_encoded(std::string& out, std::string_view text, CharacterSet allowed);

/// Decodes every triplet.
std::string decode(std::string_view text);

/// Decodes every triplet except those of reserved characters, and except a "%25" whose decoded '%'
/// would form a new triplet with the characters after it. If append_encoded() encodes the result,
/// with the reserved characters allowed, the outcome is equivalent() to the original text.
std::string decode_keeping_reserved(std::string_view text);

/// Whether two URIs are equal when percent-encoding is normalised (RFC 3986 section 6.2.2).
bool equivalent(std::string_view a, std::string_view b) noexcept;

}  // namespace lanyard::uri_template
