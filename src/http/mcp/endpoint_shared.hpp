// EndpointShared: what the loops of an MCP endpoint share.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "base/byte_budget.hpp"
#include "http/mcp/session_counts.hpp"
#include "http/mcp/session_ids.hpp"
#include "lanyard/http/mcp_options.hpp"

namespace lanyard::http {

/// Thread-safe.
struct EndpointShared {
    EndpointShared(McpHttpOptions const& options, Random& random, std::size_t loops = 1)
        : ids(random, loops),
          sessions(options),
          websocket_bytes(std::make_shared<ByteBudget>(options.max_websocket_bytes_total())) {}

    SessionIds ids;
    SessionCounts sessions;
    std::atomic<std::size_t> websockets = 0;      ///< the number of open WebSockets
    std::shared_ptr<ByteBudget> websocket_bytes;  ///< the memory for messages of WebSockets
};

}  // namespace lanyard::http
