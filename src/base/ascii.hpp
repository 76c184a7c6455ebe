// ASCII helpers for header fields (RFC 9110, section 5.6): case, tokens, blanks. None of them
// depends on the locale.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lanyard::ascii {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

constexpr char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_letter(char c) noexcept {
    return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (to_lower(a[i]) != to_lower(b[i])) return false;
    }
    return true;
}

/// Returns the value of a hexadecimal digit, or -1 for any other character.
constexpr int hex_value(char c) noexcept {
    if (is_digit(c)) return c - '0';
    auto const lower = to_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

inline constexpr auto token_characters = [] {
    std::array<bool, 256> table{};
    for (int c = 0; c < 128; ++c) {
        auto const character = static_cast<char>(c);
        table[static_cast<std::size_t>(c)] =
            is_digit(character) || is_letter(character) ||
            std::string_view("!#$%&'*+-.^_`|~").find(character) != std::string_view::npos;
    }
    return table;
}();

constexpr bool is_token_character(char c) noexcept {
    return token_characters[static_cast<unsigned char>(c)];
}

/// Whether the text is a token (RFC 9110), as field names, methods and parts of media types must
/// be.
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
