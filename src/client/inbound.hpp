// Answers to requests of the server.
#pragma once

#include "jsonrpc/envelope.hpp"
#include "peer/peer.hpp"

namespace lanyard::client {

class ClientSession;

/// Handles a request of the server: refuses it, answers it at once, or answers it when its handler
/// has returned.
void serve_request(ClientSession& session, rpc::Envelope const& request, rpc::Ticket ticket);

}  // namespace lanyard::client
