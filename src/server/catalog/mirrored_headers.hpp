// For servers: checks that HTTP headers agree with the tool arguments that they repeat
// (`x-mcp-header`).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lanyard/peer_info.hpp"
#include "lanyard/protocol/era.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::server {

/// Whether requests of this revision from this sender repeat arguments in headers.
bool has_mirrored_headers(PeerInfo const& sender, Version version) noexcept;

/// Returns a description of the first difference between the headers and the arguments of a
/// request; nullopt if they agree.
std::optional<std::string> mirrored_mismatch(std::span<wire::ParamHeader const> wanted,
                                             std::optional<json::View> arguments,
                                             std::span<RequestHeader const> found);

}  // namespace lanyard::server
