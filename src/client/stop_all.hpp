// Stops many clients concurrently.
#pragma once

#include <vector>

#include "lanyard/client/client.hpp"

namespace lanyard::client {

/// Stops the clients and completes when every client has stopped. The clients are stopped even if
/// the waiting coroutine is cancelled.
Task<> stop_all(std::vector<Client> clients, Duration grace);

}  // namespace lanyard::client
