// URI references in `$id` and `$ref` of JSON Schema: RFC 3986, section 5.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanyard {

/// Resolves the reference against the base and removes dot segments. If the base is empty, returns
/// the reference unchanged.
std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
    std::string_view resource;  ///< everything before '#'
    std::string_view fragment;  ///< everything after '#', still percent-encoded
};
SplitUri split_fragment(std::string_view uri) noexcept;

/// Returns nullopt if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

/// Percent-encodes the characters that may not appear in the fragment of a URI.
std::string percent_encode_fragment(std::string_view text);

}  // namespace lanyard
