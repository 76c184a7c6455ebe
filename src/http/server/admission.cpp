#include "http/server/admission.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "http/message/media_type.hpp"
#include "http/server/reply_writer.hpp"
#include "wire/errors.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::http {
namespace {

constexpr std::size_t max_version_bytes = 64;
constexpr std::size_t max_session_id_bytes = 256;

Unexpected<Error> invalid(std::string message) {
    return Unexpected(Error(Errc::invalid_argument, std::move(message)));
}

Unexpected<Rejection> reject(Status status, std::string_view reason,
                             std::string_view cors_origin = {}) noexcept {
    return Unexpected(Rejection{.status = status, .reason = reason, .cors_origin = cors_origin});
}

constexpr bool is_visible(std::string_view text, std::size_t max_bytes) noexcept {
    return !text.empty() && text.size() <= max_bytes &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// Whether the text has the form of an Origin as sent by browsers: a scheme and an authority.
bool is_origin(std::string_view text) noexcept {
    auto const mark = text.find("://");
    if (mark == text.npos || !ascii::is_token(text.substr(0, mark))) return false;
    return parse_authority(text.substr(mark + 3)).has_value();
}

// Whether the page that sends the request was loaded from this server, according to Origin and
// Host.
bool is_same(Origin const& origin, Authority const& host) noexcept {
    return origin.authority.host == host.host &&
           origin.port() == host.port.value_or(origin.secure ? 443 : 80);
}

// Returns a description of the fault if a field that may occur only once is repeated, else an empty
// string.
std::string_view find_repeated(Fields const& fields) noexcept {
    for (auto const name : {FieldName::authorization, FieldName::content_encoding,
                            FieldName::content_type, FieldName::last_event_id}) {
        if (fields.repeated(name)) return "a header that may occur only once is repeated";
    }
    return {};
}

// Returns a description of the fault if an MCP header is malformed, else an empty string. Whether
// the headers match the body is checked later, when the body has arrived.
std::string_view find_metadata_fault(Fields const& fields) noexcept {
    for (auto const name : {FieldName::mcp_method, FieldName::mcp_name,
                            FieldName::mcp_protocol_version, FieldName::mcp_session_id}) {
        if (fields.repeated(name)) return "a header of the protocol is repeated";
    }
    auto const version = fields.find(FieldName::mcp_protocol_version);
    if (version && !is_visible(*version, max_version_bytes)) {
        return "MCP-Protocol-Version is not the name of a version";
    }
    auto const session = fields.find(FieldName::mcp_session_id);
    if (session && !is_visible(*session, max_session_id_bytes)) {
        return "MCP-Session-Id is not an id";
    }
    return {};
}

}  // namespace

Result<AdmissionGate> AdmissionGate::make(AdmissionOptions const& options, Router router) {
    AdmissionGate gate(std::move(router));
    auto const bound = parse_authority(options.bind_host);
    if (!bound || bound->port) {
        return invalid("the address to listen at is not a host: \"" + options.bind_host + "\"");
    }
    gate.loopback_ = bound->host.is_loopback();
    if (!gate.loopback_ && options.allowed_hosts.empty()) {
        return invalid("a server at \"" + options.bind_host +
                       "\" can be reached from other machines: name the hosts that clients may use "
                       "with allow_host(), or listen at 127.0.0.1");
    }
    for (auto const& text : options.allowed_hosts) {
        if (text == "*") {
            gate.any_host_ = true;
            continue;
        }
        auto const host = parse_authority(text);
        if (!host)
            return invalid("an allowed host is not \"name\" or \"name:port\": \"" + text + "\"");
        gate.hosts_.push_back({host->host, host->port});
    }
    for (auto const& text : options.allowed_origins) {
        if (text == "*") {
            gate.any_origin_ = true;
        } else if (is_origin(text)) {
            gate.origins_.push_back(text);
        } else {
            return invalid("an allowed origin is not \"scheme://host\": \"" + text + "\"");
        }
    }
    // A Host header may also name the loopback address at which the server listens, for example
    // 127.0.0.2.
    if (gate.loopback_) gate.hosts_.push_back({bound->host, std::nullopt});
    return gate;
}

bool AdmissionGate::allows_host(Authority const& host) const noexcept {
    if (any_host_) return true;
    if (loopback_ && (host.host.view() == "localhost" || host.host.view() == "127.0.0.1" ||
                      host.host.view() == "::1")) {
        return true;
    }
    return std::any_of(hosts_.begin(), hosts_.end(), [&](AllowedHost const& allowed) {
        return allowed.name == host.host && (!allowed.port || allowed.port == host.port);
    });
}

bool AdmissionGate::lists_origin(std::string_view origin) const noexcept {
    if (any_origin_) return is_origin(origin);
    return std::any_of(origins_.begin(), origins_.end(), [&](std::string const& listed) {
        return ascii::equals_ignoring_case(listed, origin);
    });
}

// Whether an Origin that is not in `allowed_origins` may call the server. Allows pages of this
// server itself and, if the server listens at a loopback address, pages of any server on this
// machine. With "*" in `allowed_hosts`, any Host is accepted, so an Origin that equals the Host
// does not prove that the page is from this server. Such an Origin is therefore not allowed.
bool AdmissionGate::allows_origin(std::string_view text, Authority const& host) const noexcept {
    auto const origin = parse_origin(text);
    if (!origin) return false;
    if (loopback_ && origin->authority.host.is_loopback()) return true;
    return !any_host_ && is_same(*origin, host);
}

Result<Admission, Rejection> AdmissionGate::admit(RequestHead const& head,
                                                  std::string_view known_host) const noexcept {
    auto const& fields = head.fields;
    auto const host_text = fields.find(FieldName::host).value_or("");
    if (!known_host.empty() && host_text == known_host && !fields.has(FieldName::origin)) {
        return route(head, {});
    }
    auto const host = parse_authority(host_text);
    if (!host) return reject(Status::bad_request, "Host is not a host name");
    if (!allows_host(*host)) {
        return reject(Status::forbidden, "this server is not called by that Host");
    }
    std::string_view cors_origin;
    bool stranger = false;
    if (auto const origin = fields.find(FieldName::origin)) {
        if (fields.repeated(FieldName::origin)) {
            return reject(Status::bad_request, "Origin occurs more than once");
        }
        if (lists_origin(*origin)) {
            cors_origin = *origin;
        } else if (!allows_origin(*origin, *host)) {
            return reject(Status::forbidden, "pages of that Origin may not call this server");
        } else {
            stranger = !is_same(*parse_origin(*origin), *host);
        }
    }
    auto admitted = route(head, cors_origin);
    // A browser lets a page of another Origin read HTTP responses only if the response names that
    // Origin. For WebSockets there is no such rule, so the server itself must refuse a page of an
    // unlisted Origin.
    if (stranger && admitted && admitted->route.kind == RouteTarget::Kind::websocket) {
        return reject(Status::forbidden, "pages of that Origin may not open a WebSocket");
    }
    return admitted;
}

Result<Admission, Rejection> AdmissionGate::route(RequestHead const& head,
                                                  std::string_view cors_origin) const noexcept {
    auto const& fields = head.fields;
    auto const [rule, allow] = router_.find(head.method, head.path());
    if (rule == nullptr) {
        if (allow.empty()) return reject(Status::not_found, "there is nothing here", cors_origin);
        if (head.method == Method::options && !cors_origin.empty() &&
            fields.has(FieldName::access_control_request_method)) {
            return Admission{.route = {RouteTarget::Kind::preflight}, .cors_origin = cors_origin};
        }
        auto rejection = Rejection{.status = Status::method_not_allowed,
                                   .reason = "this method is not served here",
                                   .allow = allow,
                                   .cors_origin = cors_origin};
        return Unexpected(rejection);
    }
    if (auto const fault = find_repeated(fields); !fault.empty()) {
        return reject(Status::bad_request, fault, cors_origin);
    }
    if (rule->json_body) {
        auto const coding = fields.find(FieldName::content_encoding);
        if (coding && !ascii::equals_ignoring_case(*coding, "identity")) {
            return reject(Status::unsupported_media_type, "the body must not be compressed",
                          cors_origin);
        }
        if (!is_json(fields.find(FieldName::content_type).value_or(""))) {
            return reject(Status::unsupported_media_type, "Content-Type must be application/json",
                          cors_origin);
        }
    }
    auto const acceptance = read_acceptance(fields);
    if ((rule->json_answer && !acceptance.json) ||
        (rule->stream_answer && !acceptance.event_stream)) {
        return reject(Status::not_acceptable,
                      rule->json_answer && rule->stream_answer
                          ? "Accept must list application/json and text/event-stream"
                      : rule->json_answer ? "Accept must list application/json"
                                          : "Accept must list text/event-stream",
                      cors_origin);
    }
    if (auto const fault = find_metadata_fault(fields); !fault.empty()) {
        auto rejection = Rejection{
            .reason = fault, .code = wire::code::header_mismatch, .cors_origin = cors_origin};
        return Unexpected(rejection);
    }
    return Admission{
        .route = rule->route, .cors_origin = cors_origin, .takes_stream = acceptance.event_stream};
}

void append_preflight(std::string& out, Admission const& admission, RequestHead const& head,
                      AdmissionGate const& gate, std::string_view date) {
    std::string more;
    append_header(more, "Access-Control-Allow-Methods",
                  gate.router().find(head.method, head.path()).allow);
    std::string allowed =
        "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, "
        "Mcp-Name, Mcp-Session-Id";
    // Headers that repeat tool arguments (Mcp-Param-...) are allowed by their prefix, because the
    // rest of the name is chosen by the tool.
    constexpr auto prefix = wire::param_header_prefix;
    auto rest = head.fields.find(FieldName::access_control_request_headers).value_or("");
    while (!rest.empty()) {
        auto const comma = rest.find(',');
        auto const name = ascii::trim(rest.substr(0, comma));
        if (ascii::is_token(name) && name.size() > prefix.size() &&
            ascii::equals_ignoring_case(name.substr(0, prefix.size()), prefix)) {
            allowed.append(", ").append(name);
        }
        rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    append_header(more, "Access-Control-Allow-Headers", allowed);
    append_header(more, "Access-Control-Max-Age", "600");
    // A browser sends this header before it lets a public page call a server on the user's machine.
    if (head.fields.find(FieldName::access_control_request_private_network) == "true") {
        append_header(more, "Access-Control-Allow-Private-Network", "true");
    }
    append_reply(out, {.status = Status::no_content,
                       .keep_alive = head.keep_alive,
                       .cors_origin = admission.cors_origin,
                       .date = date,
                       .more = more});
}

}  // namespace lanyard::http
