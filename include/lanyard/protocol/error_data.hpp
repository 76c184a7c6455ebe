// What `data` of the protocol's own errors holds (basic/index, "Error codes").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/elicitation.hpp>

namespace lanyard {

/// Of error -32022: the revisions the server serves, and the one it was asked for.
struct UnsupportedProtocolVersion {
    std::vector<std::string> supported{};
    std::string requested{};

    bool operator==(UnsupportedProtocolVersion const&) const = default;
};

/// Of error -32021: what the client would have to declare.
struct MissingRequiredClientCapability {
    ClientCapabilities required_capabilities{};

    bool operator==(MissingRequiredClientCapability const&) const = default;
};

/// Of error -32042 (2025-11-25): what the user has to visit first.
struct UrlElicitationRequired {
    std::vector<ElicitUrlParams> elicitations{};
    JsonObject extra{};

    bool operator==(UrlElicitationRequired const&) const = default;
};

/// What the user has to visit before the call can succeed, where that is why the peer refused it;
/// nothing for other errors.
std::optional<UrlElicitationRequired> url_elicitation_required(Error const& error);

}  // namespace lanyard
