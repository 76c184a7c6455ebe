// Version negotiation of a client.
#pragma once

#include <memory>

#include "lanyard/client/options.hpp"
#include "lanyard/task.hpp"
#include "peer/negotiation.hpp"

namespace lanyard::client {

class ClientSession;

/// Returns the protocol versions that the client's options allow. Throws Error (invalid_argument)
/// if the options name an invalid version.
rpc::VersionOptions version_options(ClientOptions const& options);

/// Negotiates the protocol version on the session's new connection. Completes when the session is
/// ready. Throws Error if the negotiation fails.
Task<> negotiate(std::shared_ptr<ClientSession> session, rpc::VersionOptions versions);

}  // namespace lanyard::client
