#include "http/client/request_writer.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "http/message/fields.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::http {
namespace {

constexpr std::string_view own_headers[] = {
    "Accept",
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Expect",
    "Content-Type",
    "Host",
    "Keep-Alive",
    "Mcp-Method",
    "Mcp-Name",
    "MCP-Protocol-Version",
    "MCP-Session-Id",
    "Origin",
    "Last-Event-ID",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
};

void append_field(std::string& out, std::string_view name, std::string_view value) {
    if (!value.empty()) append_header(out, name, value);
}

}  // namespace

void append_request(std::string& out, CallHead const& head, std::string_view body) {
    // Enough for the header lines whose sizes are not added below.
    constexpr std::size_t usual_head = 512;
    out.reserve(out.size() + usual_head + head.mirrored.size() + head.more.size() + body.size());
    out.append(to_string(head.method)).append(" ").append(head.target).append(" HTTP/1.1\r\n");
    append_header(out, "Host", head.host);
    if (head.takes_json && head.takes_stream) {
        out.append("Accept: application/json, text/event-stream\r\n");
    } else if (head.takes_json || head.takes_stream) {
        append_header(out, "Accept", head.takes_json ? "application/json" : "text/event-stream");
    }
    append_field(out, "Mcp-Session-Id", head.session_id);
    append_field(out, "MCP-Protocol-Version", head.protocol_version);
    append_field(out, "Last-Event-ID", head.last_event_id);
    append_field(out, "Authorization", head.authorization);
    out.append(head.mirrored).append(head.more);
    if (head.method == Method::post) {
        out.append("Content-Type: application/json\r\n");
        append_header(out, "Content-Length", std::to_string(body.size()));
    }
    out.append("\r\n").append(body);
}

void append_connect(std::string& out, std::string_view authority, std::string_view authorization) {
    out.append("CONNECT ").append(authority).append(" HTTP/1.1\r\n");
    append_header(out, "Host", authority);
    append_field(out, "Proxy-Authorization", authorization);
    out.append("\r\n");
}

Result<void, DecodeError> check_custom_header(std::string_view name, std::string_view value) {
    auto const invalid = [&](std::string_view fault) {
        return Unexpected(
            DecodeError{"", "header \"" + std::string(name) + "\": " + std::string(fault)});
    };
    if (!ascii::is_token(name)) return invalid("the name is not a token");
    if (!is_field_value(value)) return invalid("the value holds a control character");
    constexpr auto mirrored = wire::param_header_prefix;
    bool const own = std::any_of(
        std::begin(own_headers), std::end(own_headers),
        [&](std::string_view own_name) { return ascii::equals_ignoring_case(own_name, name); });
    if (own || ascii::equals_ignoring_case(name.substr(0, mirrored.size()), mirrored)) {
        return invalid("this one belongs to the transport");
    }
    return {};
}

}  // namespace lanyard::http
