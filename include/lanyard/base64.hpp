// Base64 and base64url (RFC 4648 sections 4 and 5): exact encoding, strict decoding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

namespace lanyard::base64 {

/// The alphabet, and whether the text is padded with '=' to a multiple of four characters.
enum class Form {
    standard,           ///< '+' and '/', padded: the form of MCP's `blob` and `data` members
    standard_unpadded,  ///< '+' and '/', no padding
    url,                ///< '-' and '_', no padding: for tokens, headers and URIs
    url_padded,         ///< '-' and '_', padded
};

/// Returns the number of characters that this many bytes encode to.
constexpr std::size_t encoded_size(std::size_t bytes, Form form = Form::standard) noexcept {
    bool const padded = form == Form::standard || form == Form::url_padded;
    auto const rest = bytes % 3;
    return bytes / 3 * 4 + (rest == 0 ? 0 : padded ? 4 : rest + 1);
}

/// Encodes the bytes and appends the base64 text to `out`.
void append_encoded(std::string& out, std::string_view bytes, Form form = Form::standard);

/// Returns the bytes as base64 text.
std::string encode(std::string_view bytes, Form form = Form::standard);

/// Returns the bytes that the text encodes.
///
/// Decoding is strict: for any bytes, only one base64 string is accepted. Decoding refuses
/// characters outside the alphabet (including line breaks and spaces), missing or surplus padding,
/// and a last character with non-zero bits that belong to no byte. The error names the problem and
/// the byte offset.
Result<std::string, DecodeError> decode(std::string_view text, Form form = Form::standard);

}  // namespace lanyard::base64
