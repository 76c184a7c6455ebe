// Stops many clients concurrently.
#pragma once

#include <vector>

#include "lanyard/client/client.hpp"

namespace lanyard::client {

/// Completes when every client has stopped. They are stopped even if the waiting coroutine is
/// cancelled.
Task<> stop_all(std::vector<Client> clients, Duration grace);

}  // namespace lanyard::client
