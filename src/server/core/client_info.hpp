// ClientInfo: the data that a client has sent about itself.
#pragma once

#include "lanyard/protocol/base.hpp"
#include "lanyard/protocol/capabilities.hpp"

namespace lanyard::server {

struct ClientInfo {
    Implementation info{};
    ClientCapabilities capabilities{};

    bool operator==(ClientInfo const&) const = default;
};

}  // namespace lanyard::server
