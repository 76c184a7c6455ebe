// How long texts may be that clients make the server keep.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lanyard/json/document.hpp"
#include "server/core.hpp"
#include "server/metadata.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

/// The refusal of a URI that is longer than the option allows, which is counted.
std::optional<wire::WireError> check_uri_length(ServerCore& core, std::string_view uri,
                                                std::string pointer, Version version);

/// What a client has said about itself, as it is written, and where.
struct ClientText {
    std::optional<json::View> info;
    std::optional<json::View> capabilities;
    std::string info_pointer;
    std::string capabilities_pointer;
};

/// Removes icons that are too large to be kept. The error names what else is too long.
std::optional<DecodeError> limit_client(ServerCore& core, ClientText const& text,
                                        Implementation& info);

}  // namespace lanyard::server
