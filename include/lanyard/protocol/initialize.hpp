// The opening handshake of the revisions up to 2025-11-25 (MCP specification, basic/lifecycle).
#pragma once

#include <string>

#include <lanyard/protocol/base.hpp>
#include <lanyard/protocol/capabilities.hpp>

namespace lanyard {

struct InitializeParams {
    std::string protocol_version{};  ///< as sent by the client; may be unknown
    ClientCapabilities capabilities{};
    Implementation client_info{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(InitializeParams const&) const = default;
};

struct InitializeResult {
    std::string protocol_version{};
    ServerCapabilities capabilities{};
    Implementation server_info{};
    std::string instructions{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(InitializeResult const&) const = default;
};

}  // namespace lanyard
