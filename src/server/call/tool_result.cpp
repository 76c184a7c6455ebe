#include "server/call/tool_result.hpp"

#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"

namespace lanyard::server {

namespace {

// Appends the single text block of `content`, and the ']' that closes the array.
void append_text_block(std::string& out, ToolReply const& reply) {
    bool const is_string =
        reply.kind() == ToolReply::Kind::structured && reply.structured().starts_with('"');
    if (is_string) {
        // For a JSON string, the text block contains the string itself, not its JSON text.
        out.append(R"({"type":"text","text":)").append(reply.structured()).append("}]");
        return;
    }
    out.append(R"({"type":"text","text":")");
    json::append_escaped(out, reply.text());
    out.append(R"("}])");
}

void append_structured(std::string& out, std::string_view json, Version version) {
    out.append(R"(,"structuredContent":)");
    if (json.starts_with('{') || supports(Feature::any_structured_output, version)) {
        json::append_raw(out, json);
        return;
    }
    // Older revisions allow only objects, so the value is wrapped; see the table of CallToolResult.
    out.append(R"({"result":)");
    json::append_raw(out, json);
    out.push_back('}');
}

void append_result(std::string& out, CallToolResult const& result, wire::ResultStamp const& stamp) {
    json::Writer writer(out);
    wire::encode_result(writer, result, stamp).value();
}

}  // namespace

void append_tool_result(std::string& out, ToolReply const& reply, wire::ResultStamp const& stamp) {
    if (reply.kind() == ToolReply::Kind::result) {
        append_result(out, reply.result(), stamp);
        return;
    }
    // The results of most tools are written directly, without creating a CallToolResult.
    bool const typed = supports(Feature::result_types, stamp.version);
    // Each branch passes a constant to append(), because strings of constant size are copied
    // without a loop.
    if (typed) {
        out.append(R"({"resultType":"complete","content":[)");
    } else {
        out.append(R"({"content":[)");
    }
    if (reply.kind() == ToolReply::Kind::nothing) {
        out.push_back(']');
    } else {
        append_text_block(out, reply);
    }
    if (reply.kind() == ToolReply::Kind::structured) {
        append_structured(out, reply.structured(), stamp.version);
    }
    if (supports(Feature::request_metadata, stamp.version) && !stamp.server_info.empty()) {
        out.append(R"(,"_meta":{")").append(meta_key::server_info).append(R"(":)");
        // append_raw() is not needed: server_info has no line breaks, because this server has
        // encoded it.
        out.append(stamp.server_info.text()).append("}}");
    } else {
        out.push_back('}');
    }
}

void append_tool_failure(std::string& out, wire::ToolFailure const& failure,
                         wire::ResultStamp const& stamp) {
    CallToolResult result;
    TextContent text;
    text.text = failure.text;
    result.content.emplace_back(std::move(text));
    result.is_error = true;
    auto& meta = result.meta.members();
    meta[wire::tool_error_kind_key] = to_string(failure.kind);
    if (!failure.reference.empty()) meta[wire::reference_key] = failure.reference;
    append_result(out, result, stamp);
}

}  // namespace lanyard::server
