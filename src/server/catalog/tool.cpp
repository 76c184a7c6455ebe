// The functions of bind_tool() that are not C++ templates.
#include "lanyard/server/tool.hpp"

namespace lanyard {

namespace detail {

void refuse_arguments(DecodeError const& error) {
    throw ToolError("invalid arguments: " + error.to_string(), ToolErrorKind::invalid_arguments);
}

void refuse_any_argument(json::View arguments) {
    if (arguments.size() == 0) return;
    auto const first = (*arguments.members().begin()).key.as_string();
    DecodeError error;
    error.message = "this tool takes no arguments, got \"" + first.value_or("") + "\"";
    refuse_arguments(error);
}

RawJson no_arguments_schema(ToolRules const& rules) {
    if (rules.ignore_unknown_arguments) return RawJson::trusted(R"({"type":"object"})");
    return RawJson::trusted(R"({"type":"object","additionalProperties":false})");
}

RawJson input_schema(reflect::Shape const& shape, ToolRules const& rules) {
    SchemaOptions options;
    options.closed = !rules.ignore_unknown_arguments;
    options.inline_references = rules.inline_references;
    options.list_enum_values = true;
    return codec::make_schema(shape, options);
}

RawJson output_schema(reflect::Shape const& shape, ToolRules const& rules) {
    SchemaOptions options;
    options.inline_references = rules.inline_references;
    options.list_enum_values = true;
    return codec::make_schema(shape, options);
}

}  // namespace detail

void ToolReply::set_result(CallToolResult result) {
    if (result.content.empty() && !result.structured_content.empty()) {
        TextContent text;
        text.text = result.structured_content.text();
        result.content.emplace_back(std::move(text));
    }
    result_ = std::move(result);
    kind_ = Kind::result;
}

}  // namespace lanyard
