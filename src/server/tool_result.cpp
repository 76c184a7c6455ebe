#include "server/tool_result.hpp"

#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"

namespace lanyard::server {

namespace {

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
    // What most tools return is written without a CallToolResult in between.
    json::Writer writer(out);
    writer.begin_object();
    if (supports(Feature::result_types, stamp.version)) {
        writer.key("resultType").safe_string("complete");
    }
    writer.key("content").begin_array();
    if (reply.kind() != ToolReply::Kind::nothing) {
        writer.begin_object().key("type").safe_string("text");
        writer.key("text").string(reply.text()).end_object();
    }
    writer.end_array();
    if (reply.kind() == ToolReply::Kind::structured &&
        supports(Feature::structured_output, stamp.version)) {
        writer.key("structuredContent").raw(reply.structured());
    }
    if (supports(Feature::request_metadata, stamp.version) && !stamp.server_info.empty()) {
        writer.key("_meta").begin_object();
        writer.key(meta_key::server_info).raw(stamp.server_info.text());
        writer.end_object();
    }
    writer.end_object();
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
