// ASCII characters: classes, case, hexadecimal digits, and the tokens and blanks of header fields
// (RFC 9110, section 5.6). None of the functions depends on the locale. The character classes take
// char, unsigned char and char32_t.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lanyard::ascii {

template <class C>
constexpr bool is_digit(C c) noexcept {
    return c >= '0' && c <= '9';
}
template <class C>
constexpr bool is_lower(C c) noexcept {
    return c >= 'a' && c <= 'z';
}
template <class C>
constexpr bool is_upper(C c) noexcept {
    return c >= 'A' && c <= 'Z';
}
template <class C>
constexpr bool is_letter(C c) noexcept {
    return is_lower(c) || is_upper(c);
}
template <class C>
constexpr bool is_alphanumeric(C c) noexcept {
    return is_letter(c) || is_digit(c);
}

constexpr char to_lower(char c) noexcept {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (to_lower(a[i]) != to_lower(b[i])) return false;
    }
    return true;
}

/// Returns the value of a hexadecimal digit, or -1 for any other character.
template <class C>
constexpr int hex_value(C c) noexcept {
    if (is_digit(c)) return static_cast<int>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
    return -1;
}
template <class C>
constexpr bool is_hex_digit(C c) noexcept {
    return hex_value(c) >= 0;
}

inline constexpr auto token_characters = [] {
    std::array<bool, 256> table{};
    for (int c = 0; c < 128; ++c) {
        auto const character = static_cast<char>(c);
        table[static_cast<std::size_t>(c)] =
            is_alphanumeric(character) ||
            std::string_view("!#$%&'*+-.^_`|~").find(character) != std::string_view::npos;
    }
    return table;
}();

constexpr bool is_token_character(char c) noexcept {
    return token_characters[static_cast<unsigned char>(c)];
}

/// Whether the text is a token (RFC 9110). Field names, methods and the parts of media types must
/// be tokens.
constexpr bool is_token(std::string_view text) noexcept {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_token_character(c); });
}

constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t';
}

/// Returns the text without leading and trailing spaces and tabs.
constexpr std::string_view trim(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Whether the text consists of one or more digits and nothing else.
constexpr bool is_number(std::string_view text) noexcept {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

}  // namespace lanyard::ascii
