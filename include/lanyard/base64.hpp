// Base64 and base64url (RFC 4648 sections 4 and 5): exact encoding, strict decoding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

namespace lanyard::base64 {

/// The alphabet, and whether a text is filled up with '=' to a multiple of four characters.
enum class Form {
    standard,           ///< '+' and '/', padded: what MCP's `blob` and `data` members hold
    standard_unpadded,  ///< '+' and '/', no padding
    url,                ///< '-' and '_', no padding: for tokens, headers and URIs
    url_padded,         ///< '-' and '_', padded
};

/// The number of characters that this many bytes encode to.
constexpr std::size_t encoded_size(std::size_t bytes, Form form = Form::standard) noexcept {
    bool const padded = form == Form::standard || form == Form::url_padded;
    auto const rest = bytes % 3;
    return bytes / 3 * 4 + (rest == 0 ? 0 : padded ? 4 : rest + 1);
}

/// Appends the bytes, encoded.
void append_encoded(std::string& out, std::string_view bytes, Form form = Form::standard);

/// The bytes, encoded.
std::string encode(std::string_view bytes, Form form = Form::standard);

/// The bytes that the text encodes.
///
/// There is exactly one text for any bytes: a character outside the alphabet (line breaks and
/// spaces too), missing or surplus padding and set bits behind the last byte are refused. The
/// message says what is wrong and at which byte.
Result<std::string, DecodeError> decode(std::string_view text, Form form = Form::standard);

}  // namespace lanyard::base64
