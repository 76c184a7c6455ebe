// Derives the routes of an MCP endpoint from its options.
#pragma once

#include "http/server/router.hpp"
#include "lanyard/http/mcp_options.hpp"

namespace lanyard::http {

EndpointOptions endpoint_routes(McpHttpOptions const& options);

}  // namespace lanyard::http
