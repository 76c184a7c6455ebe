// Bytes as characters and as hexadecimal text, and their comparison in constant time.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lanyard::crypto {

/// Returns the bytes as characters, the form in which the functions of this folder take and return
/// data.
inline std::string_view as_characters(std::span<std::byte const> bytes) noexcept {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// Returns two lower-case hexadecimal digits per byte.
std::string to_hex(std::string_view bytes);
inline std::string to_hex(std::span<std::byte const> bytes) {
    return to_hex(as_characters(bytes));
}

/// Compares in a time that depends on the lengths only, not on the position of the first
/// difference.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace lanyard::crypto
