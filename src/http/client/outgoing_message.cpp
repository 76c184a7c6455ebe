#include "http/client/outgoing_message.hpp"

#include <algorithm>

#include "http/message/fields.hpp"
#include "json/known_text.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/protocol/methods.hpp"
#include "wire/mcp_headers.hpp"
#include "wire/registry.hpp"

namespace lanyard::http {
namespace {

constexpr std::string_view version_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view cancelled_method = "notifications/cancelled";

bool contains(std::span<MethodInfo const> methods, std::string_view name) {
    return std::ranges::any_of(methods, [&](auto const& method) { return method.name == name; });
}

std::string claimed_version(std::optional<json::View> params) {
    auto const meta = params ? params->find("_meta") : std::nullopt;
    auto const version = meta ? meta->find(version_key) : std::nullopt;
    return version ? version->as_string().value_or("") : std::string();
}

std::string header_lines(std::string_view method, std::optional<std::string_view> name) {
    // Enough for the header lines of most messages.
    constexpr std::size_t usual_size = 128;
    std::string lines;
    lines.reserve(usual_size);
    append_header(lines, "Mcp-Method", wire::encode_header_value(method));
    if (name) append_header(lines, "Mcp-Name", wire::encode_header_value(*name));
    return lines;
}

std::string mirror(rpc::Envelope const& request, MirroredArguments const& tools) {
    auto const member = wire::mirrored_member(request.method);
    auto const value = member && request.params ? request.params->find(*member) : std::nullopt;
    auto const name = value ? value->as_string() : std::nullopt;
    auto lines = header_lines(request.method, name);
    if (name && request.method == methods::CallTool::info.name) {
        tools.append_lines(lines, *name, request.params->find("arguments"));
    }
    return lines;
}

void take_request(OutgoingMessage& out, rpc::Envelope const& request) {
    out.kind = OutgoingMessage::Kind::request;
    auto const id = rpc::to_id(*request.id);
    if (id && id->is_integer()) out.ids.push_back(*id->integer());
}

}  // namespace

// Of the protocol's methods, only tools/call may have effects that must not happen twice. An answer
// may be repeated, because the server recognizes it by its id.
bool OutgoingMessage::is_repeatable() const {
    switch (kind) {
        case Kind::request:
            return method != methods::CallTool::info.name && contains(wire::all_requests(), method);
        case Kind::notification:
            return contains(wire::all_notifications(), method);
        case Kind::answer:
            return true;
    }
    return false;
}

OutgoingMessage describe_outgoing(std::string_view text, rpc::Route const& route,
                                  MirroredArguments const& tools) {
    OutgoingMessage out;
    if (route.kind == rpc::Route::Kind::answer) {
        out.kind = OutgoingMessage::Kind::answer;
        return out;
    }
    bool const mirrors_arguments =
        route.version && tools.knows(route.name) && route.method == methods::CallTool::info.name;
    if (route.method.empty() || !route.id || mirrors_arguments) return read_outgoing(text, tools);
    out.method = route.method;
    if (route.kind == rpc::Route::Kind::notification) {
        out.cancels = route.id;
        return out;
    }
    out.kind = OutgoingMessage::Kind::request;
    out.ids.push_back(*route.id);
    if (route.version) {
        out.version = to_string(*route.version);
        out.mirrored = header_lines(route.method,
                                    route.name.empty() ? std::nullopt : std::optional(route.name));
    }
    return out;
}

OutgoingMessage read_outgoing(std::string_view text, MirroredArguments const& tools) {
    OutgoingMessage out;
    rpc::EnvelopeReader reader;
    rpc::ReadOptions options;
    options.batches = true;
    options.json = json::known_text;  // the client itself has written the message
    auto const item = reader.read(text, options);
    if (!item) return out;
    if (item->kind == rpc::MessageKind::batch) {
        for (auto const& message : reader.batch()) {
            if (message && message->kind == rpc::MessageKind::request) take_request(out, *message);
        }
        return out;
    }
    out.method = item->method;
    out.version = claimed_version(item->params);
    switch (item->kind) {
        case rpc::MessageKind::request:
            take_request(out, *item);
            if (!out.version.empty()) out.mirrored = mirror(*item, tools);
            break;
        case rpc::MessageKind::notification:
            if (item->method == cancelled_method && item->params) {
                auto const id = item->params->find("requestId");
                if (id) out.cancels = id->as_int64();
            }
            break;
        default:
            out.kind = OutgoingMessage::Kind::answer;
    }
    return out;
}

}  // namespace lanyard::http
