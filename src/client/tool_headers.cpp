// Tools whose arguments are mirrored in headers (basic/transports/streamable-http, "Custom
// headers").
#include "client/calls.hpp"
#include "wire/errors.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::client {

void hide_uncallable(Session const& session, std::vector<Tool>& tools) {
    std::erase_if(tools, [&](Tool const& tool) {
        json::Document document;
        auto const schema = document.parse(tool.input_schema.text());
        if (!schema) return false;
        auto const headers = wire::param_headers(*schema);
        if (headers) return false;
        session.diagnose("the tool " + tool.name + " is left out, its input schema is invalid at " +
                         headers.error().to_string());
        return true;
    });
}

bool headers_outdated(Session const& session, Error const& error) {
    return session.mirrors_arguments() && error.peer_code() == wire::code::header_mismatch;
}

Task<> list_tools_anew(std::shared_ptr<Session> session) {
    CallOptions options;
    options.bypass_cache(true);
    PaginatedParams params;
    do {
        auto listing = call<methods::ListTools>(session, params, options);
        auto page = co_await std::move(listing);
        params.cursor = std::move(page.next_cursor);
    } while (params.cursor);
}

}  // namespace lanyard::client
