// The `data` of the protocol's own errors (MCP specification, basic/index, "Error codes").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/elicitation.hpp>

namespace lanyard {

/// Data of error -32022: the revisions the server supports, and the one that was requested.
struct UnsupportedProtocolVersion {
    std::vector<std::string> supported{};
    std::string requested{};

    bool operator==(UnsupportedProtocolVersion const&) const = default;
};

/// Data of error -32021: the capabilities that the client has to declare.
struct MissingRequiredClientCapability {
    ClientCapabilities required_capabilities{};

    bool operator==(MissingRequiredClientCapability const&) const = default;
};

/// Data of error -32042 (only in protocol revision 2025-11-25): the web pages that the user has to
/// visit first.
struct UrlElicitationRequired {
    std::vector<ElicitUrlParams> elicitations{};
    JsonObject extra{};

    bool operator==(UrlElicitationRequired const&) const = default;
};

/// If the peer refused a call because the user has to visit web pages first, returns these pages.
/// Empty for other errors.
std::optional<UrlElicitationRequired> url_elicitation_required(Error const& error);

}  // namespace lanyard
