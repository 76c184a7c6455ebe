#include "http/client/outgoing_message.hpp"

#include "http/server/reply_writer.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/protocol/methods.hpp"
#include "wire/mcp_headers.hpp"
#include "wire/registry.hpp"

namespace lanyard::http {
namespace {

constexpr std::string_view version_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view cancelled_method = "notifications/cancelled";

MethodInfo const* find(std::span<MethodInfo const> methods, std::string_view name) {
    for (auto const& method : methods) {
        if (method.name == name) return &method;
    }
    return nullptr;
}

std::string claimed_version(std::optional<json::View> params) {
    auto const meta = params ? params->find("_meta") : std::nullopt;
    auto const version = meta ? meta->find(version_key) : std::nullopt;
    return version ? version->as_string().value_or("") : std::string();
}

std::string mirror(rpc::Envelope const& request, MethodInfo const* method,
                   MirroredArguments const& tools) {
    std::string lines;
    append_header(lines, "Mcp-Method", wire::encode_header_value(request.method));
    auto const member = method != nullptr ? wire::mirrored_member(method->name) : std::nullopt;
    auto const value = member && request.params ? request.params->find(*member) : std::nullopt;
    auto const name = value ? value->as_string() : std::nullopt;
    if (!name) return lines;
    append_header(lines, "Mcp-Name", wire::encode_header_value(*name));
    if (method->name == methods::CallTool::info.name) {
        tools.append_lines(lines, *name, request.params->find("arguments"));
    }
    return lines;
}

void take_request(OutgoingMessage& out, rpc::Envelope const& request) {
    out.kind = OutgoingMessage::Kind::request;
    auto const id = rpc::to_id(*request.id);
    if (id && id->is_integer()) out.ids.push_back(*id->integer());
}

// Of the methods of the protocol, only tools/call has effects that must not happen twice.
bool is_repeatable(MethodInfo const* known) {
    return known != nullptr && known->name != methods::CallTool::info.name;
}

}  // namespace

OutgoingMessage read_outgoing(std::string_view text, MirroredArguments const& tools) {
    OutgoingMessage out;
    rpc::EnvelopeReader reader;
    rpc::ReadOptions options;
    options.batches = true;
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
        case rpc::MessageKind::request: {
            take_request(out, *item);
            auto const* const known = find(wire::all_requests(), item->method);
            out.repeatable = is_repeatable(known);
            if (!out.version.empty()) out.mirrored = mirror(*item, known, tools);
            break;
        }
        case rpc::MessageKind::notification:
            out.repeatable = is_repeatable(find(wire::all_notifications(), item->method));
            if (item->method == cancelled_method && item->params) {
                auto const id = item->params->find("requestId");
                if (id) out.cancels = id->as_int64();
            }
            break;
        default:
            out.kind = OutgoingMessage::Kind::answer;
            out.repeatable = true;  // the server recognizes a repeated answer by its id
    }
    return out;
}

}  // namespace lanyard::http
