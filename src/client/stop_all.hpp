// Stopping many clients side by side.
#pragma once

#include <vector>

#include "lanyard/client/client.hpp"

namespace lanyard::client {

/// Completes when every client has stopped. Where whoever waits gives up, they stop all the same.
Task<> stop_all(std::vector<Client> clients, Duration grace);

}  // namespace lanyard::client
