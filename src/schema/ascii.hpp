// ASCII character classes that do not depend on the locale.
#pragma once

namespace lanyard::schema {

constexpr bool is_digit(char32_t c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_lower(char32_t c) noexcept {
    return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char32_t c) noexcept {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char32_t c) noexcept {
    return is_lower(c) || is_upper(c);
}
constexpr bool is_alphanumeric(char32_t c) noexcept {
    return is_letter(c) || is_digit(c);
}
/// Returns the value of a hexadecimal digit, or -1 for any other character.
constexpr int hex_value(char32_t c) noexcept {
    if (is_digit(c)) return static_cast<int>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
    return -1;
}
constexpr bool is_hex_digit(char32_t c) noexcept {
    return hex_value(c) >= 0;
}

}  // namespace lanyard::schema
