#include "crypto/bytes.hpp"

namespace lanyard::crypto {

namespace {

// The value of a hexadecimal digit, or -1 for any other character.
int digit_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string to_hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (char const c : bytes) {
        auto const value = static_cast<unsigned char>(c);
        out += digits[value >> 4];
        out += digits[value & 15];
    }
    return out;
}

Result<std::string, DecodeError> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) {
        return Unexpected(DecodeError{{}, "odd number of hexadecimal digits"});
    }
    std::string out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        int const high = digit_value(text[i]);
        int const low = digit_value(text[i + 1]);
        if (high < 0 || low < 0) {
            auto const position = high < 0 ? i : i + 1;
            return Unexpected(
                DecodeError{{}, "not a hexadecimal digit at byte " + std::to_string(position)});
        }
        out += static_cast<char>(high << 4 | low);
    }
    return out;
}

bool equal_constant_time(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    // Volatile, so that the compiler cannot end the loop early.
    unsigned char volatile difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    }
    return difference == 0;
}

}  // namespace lanyard::crypto
