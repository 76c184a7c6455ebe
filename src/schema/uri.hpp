// URI references as `$id` and `$ref` use them: RFC 3986, section 5.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanyard::schema {

/// The reference made absolute against the base, dot segments removed. Without a base the reference
/// stays as it is.
std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
    std::string_view resource;  ///< all before '#'
    std::string_view fragment;  ///< all after it, still percent-encoded
};
SplitUri split_fragment(std::string_view uri) noexcept;

/// Nothing where a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

/// The characters as they stand in the fragment of a URI.
std::string percent_encode_fragment(std::string_view text);

}  // namespace lanyard::schema
