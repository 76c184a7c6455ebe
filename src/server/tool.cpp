// The parts of bind_tool() that need no template.
#include "lanyard/server/tool.hpp"

namespace lanyard::server {

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

}  // namespace lanyard::server
