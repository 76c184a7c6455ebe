// Tool options, and the parts of bind_tool() that need no template.
#include "lanyard/server/tool.hpp"

namespace lanyard {

ToolOptions& ToolOptions::title(std::string text) {
    title_ = std::move(text);
    return *this;
}

ToolOptions& ToolOptions::annotations(ToolAnnotations hints) {
    annotations_ = std::move(hints);
    return *this;
}

ToolOptions& ToolOptions::icon(Icon icon) {
    icons_.push_back(std::move(icon));
    return *this;
}

ToolOptions& ToolOptions::meta(Meta meta) {
    meta_ = std::move(meta);
    return *this;
}

ToolOptions& ToolOptions::timeout(Duration limit) noexcept {
    timeout_ = limit;
    return *this;
}

ToolOptions& ToolOptions::max_concurrent(std::size_t calls) noexcept {
    max_concurrent_ = calls;
    return *this;
}

ToolOptions& ToolOptions::max_result_bytes(std::size_t bytes) noexcept {
    max_result_bytes_ = bytes;
    return *this;
}

ToolOptions& ToolOptions::enabled(bool on) noexcept {
    enabled_ = on;
    return *this;
}

ToolOptions& ToolOptions::blocking() noexcept {
    dispatch_ = Dispatch::blocking;
    return *this;
}

ToolOptions& ToolOptions::inline_() noexcept {
    dispatch_ = Dispatch::inline_;
    return *this;
}

ToolOptions& ToolOptions::check_output(bool on) noexcept {
    check_output_ = on;
    return *this;
}

ToolOptions& ToolOptions::output_schema(RawJson schema) {
    output_schema_ = std::move(schema);
    return *this;
}

namespace server {

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

RawJson const& no_arguments_schema() {
    static RawJson const schema =
        RawJson::trusted(R"({"type":"object","additionalProperties":false})");
    return schema;
}

}  // namespace server

}  // namespace lanyard
