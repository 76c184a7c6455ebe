#include "lanyard/client/output.hpp"

#include "protocol/content_text.hpp"
#include "wire/errors.hpp"

namespace lanyard {

std::string text_of(CallToolResult const& result) {
    return protocol::text_of_blocks(result.content);
}

namespace detail {

namespace {

ToolErrorKind kind_of(CallToolResult const& result) {
    auto const& members = result.meta.members();
    auto const* const named = members.if_contains(wire::tool_error_kind_key);
    if (named == nullptr || !named->is_string()) return ToolErrorKind::failed;
    std::string_view const name = named->get_string();
    for (auto const kind : all_tool_error_kinds()) {
        if (to_string(kind) == name) return kind;
    }
    return ToolErrorKind::failed;
}

}  // namespace

void throw_if_failed(CallToolResult const& result) {
    if (!result.is_error) return;
    auto const text = text_of(result);
    throw ToolError(text.empty() ? "the tool failed without saying why" : text, kind_of(result));
}

std::string_view output_text(CallToolResult const& result) {
    if (!result.structured_content.empty()) return result.structured_content.text();
    for (auto const& block : result.content) {
        if (auto const* const part = std::get_if<TextContent>(&block)) return part->text;
    }
    return {};
}

Error output_error(DecodeError const& error) {
    return {Errc::protocol_violation,
            "the tool returned something else than expected: " + error.to_string()};
}

}  // namespace detail

}  // namespace lanyard
