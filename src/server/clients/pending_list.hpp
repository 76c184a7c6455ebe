// Lists the pending requests of all connections of a server.
#pragma once

#include <memory>
#include <vector>

#include "lanyard/server/server.hpp"
#include "lanyard/task.hpp"

namespace lanyard::server {

class ServerCore;

/// Completes when the executor of each connection has listed its requests, or the connection has
/// ended. May be awaited on any executor.
Task<std::vector<UnansweredRequest>> list_pending(std::shared_ptr<ServerCore> core);

}  // namespace lanyard::server
