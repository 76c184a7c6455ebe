// Limits on the length of strings that clients send and the server stores.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lanyard/json/document.hpp"
#include "server/call/metadata.hpp"
#include "server/core/server_core.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

/// If the URI is longer than ServerOptions::max_uri_bytes(), returns an error and adds one to
/// LimitCounts::too_long.
std::optional<wire::WireError> check_uri_length(ServerCore& core, std::string_view uri,
                                                std::string pointer, Version version);

/// The JSON that a client has sent about itself, and its location in the params as JSON pointers.
struct ClientText {
    std::optional<json::View> info;
    std::optional<json::View> capabilities;
    std::string info_pointer;
    std::string capabilities_pointer;
};

/// Removes icons that are too large to be stored. If another string is too long, returns an error
/// that names the string.
std::optional<DecodeError> limit_client(ServerCore& core, ClientText const& text,
                                        Implementation& info);

}  // namespace lanyard::server
