#include "crypto/bytes.hpp"

namespace lanyard::crypto {

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
