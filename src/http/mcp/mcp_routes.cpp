#include "http/mcp/mcp_routes.hpp"

namespace lanyard::http {

EndpointOptions endpoint_routes(McpHttpOptions const& options) {
    EndpointOptions routes;
    routes.path = options.path();
    routes.streams = options.sessions() != Sessions::stateless;
    routes.sessions = routes.streams;
    routes.stream_answers = options.answers() != HttpAnswers::json;
    routes.sse_path = options.sse_path();
    routes.message_path = options.message_path();
    routes.websocket_path = options.websocket_path();
    return routes;
}

}  // namespace lanyard::http
