// Functions for tools whose arguments are copied to headers (MCP specification,
// basic/transports/streamable-http, "Custom headers").
#include "base/deadline.hpp"
#include "client/calls.hpp"
#include "client/paging.hpp"
#include "lanyard/protocol/methods.hpp"
#include "wire/errors.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::client {

void hide_uncallable(ClientSession const& session, std::vector<Tool>& tools) {
    std::erase_if(tools, [&](Tool const& tool) {
        json::Document document;
        auto const schema = document.parse(tool.input_schema.text());
        if (!schema) return false;
        auto const headers = wire::param_headers(*schema);
        if (headers) return false;
        session.reports().diagnose("the tool " + tool.name +
                                   " is left out, its input schema is invalid at " +
                                   headers.error().to_string());
        return true;
    });
}

bool headers_outdated(ClientSession const& session, Error const& error) {
    return session.mirrors_arguments() && error.peer_code() == wire::code::header_mismatch;
}

Task<> list_tools_anew(std::shared_ptr<ClientSession> session, Duration limit,
                       std::stop_token stop) {
    auto const deadline = after(session->now(), limit);
    auto const fetch = [session, stop, deadline](std::optional<Cursor> cursor) {
        auto const left = deadline - session->now();
        if (left <= Duration::zero()) {
            throw Error(Errc::timeout, "listing the tools again took too long");
        }
        CallOptions options;
        options.bypass_cache(true).timeout(left).max_total(left).stop_token(stop);
        return fetch_page<methods::ListTools, &ListToolsResult::tools>(session, options,
                                                                       std::move(cursor));
    };
    Pages<Tool> tools(fetch);
    for (;;) {
        auto fetching = tools.next();
        if (!co_await std::move(fetching)) break;
    }
}

}  // namespace lanyard::client
