// Parses an Authorization header (RFC 9110, section 11.6.2) with a bearer token (RFC 6750, section
// 2.1).
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/ascii.hpp"

namespace lanyard::auth {

/// Whether the text is a valid bearer token ("b64token" in RFC 6750).
constexpr bool is_bearer_token(std::string_view text) noexcept {
    while (text.ends_with('=')) text.remove_suffix(1);
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return ascii::is_letter(c) || ascii::is_digit(c) ||
               std::string_view("-._~+/").find(c) != std::string_view::npos;
    });
}

/// Returns the token of a header value "Bearer <token>"; nullopt if the scheme is not Bearer or the
/// value is malformed.
constexpr std::optional<std::string_view> bearer_of(std::string_view authorization) noexcept {
    constexpr std::string_view scheme = "Bearer";
    if (authorization.size() <= scheme.size() ||
        !ascii::equals_ignoring_case(authorization.substr(0, scheme.size()), scheme) ||
        authorization[scheme.size()] != ' ') {
        return std::nullopt;
    }
    auto const token = ascii::trim(authorization.substr(scheme.size()));
    if (!is_bearer_token(token)) return std::nullopt;
    return token;
}

}  // namespace lanyard::auth
