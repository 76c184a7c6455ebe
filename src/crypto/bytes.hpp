// Fixed-size byte strings and their hexadecimal text.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

namespace lanyard::crypto {

/// The bytes as characters, the form in which data goes in and out of this folder.
inline std::string_view as_characters(std::span<std::byte const> bytes) noexcept {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// Two lower-case hexadecimal digits per byte.
std::string to_hex(std::string_view bytes);
inline std::string to_hex(std::span<std::byte const> bytes) {
    return to_hex(as_characters(bytes));
}

/// The bytes that pairs of hexadecimal digits, upper or lower case, stand for.
Result<std::string, DecodeError> from_hex(std::string_view text);

/// Compares in a time that depends on the lengths only, never on where the first difference is.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace lanyard::crypto
