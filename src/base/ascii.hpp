// ASCII text as header fields use it (RFC 9110, section 5.6): case, tokens, blanks. None of it
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
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return to_lower(x) == to_lower(y);
           });
}

/// The value of a hexadecimal digit, or -1.
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

/// Field names, methods and parts of media types are tokens.
constexpr bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

/// Without the spaces and tabs at both ends.
constexpr std::string_view trim(std::string_view text) noexcept {
    auto const begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace lanyard::ascii
