#include "server/entries.hpp"

#include "protocol/validation.hpp"

namespace lanyard::server {

namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view name, std::string const& why) {
    throw Error(Errc::invalid_argument,
                std::string(what) + " \"" + std::string(name) + "\": " + why);
}

schema::Validator compile(Tool const& tool, std::string_view which, RawJson const& schema) {
    auto validator = schema::Validator::compile(schema.to_json());
    if (!validator) {
        refuse("tool", tool.name, std::string(which) + " " + validator.error().to_string());
    }
    return *std::move(validator);
}

// decode() checks all that a schema made from types says, but for patterns. A schema that only
// mentions the word is checked once more than needed.
bool has_pattern(RawJson const& schema) {
    return schema.text().find("\"pattern\"") != std::string::npos;
}

void apply(ToolOptions const& options, Tool& tool) {
    if (!options.title().empty()) tool.title = options.title();
    if (options.annotations()) tool.annotations = options.annotations();
    tool.icons.insert(tool.icons.end(), options.icons().begin(), options.icons().end());
    if (!options.meta().empty()) tool.meta = options.meta();
    if (!options.output_schema().empty()) tool.output_schema = options.output_schema();
}

}  // namespace

std::shared_ptr<ToolEntry const> make_tool_entry(Tool tool, ToolFunction function,
                                                 ToolOptions options, Typing typing) {
    apply(options, tool);
    if (auto valid = protocol::check_tool(tool); !valid) {
        refuse("tool", tool.name, valid.error().to_string());
    }
    for (auto const& icon : tool.icons) {
        if (auto valid = protocol::check_icon_source(icon.src); !valid) {
            refuse("tool", tool.name, "/icons: " + valid.error().message);
        }
    }
    bool const own_input = typing == Typing::dynamic;
    bool const own_output = own_input || !options.output_schema().empty();
    auto entry = std::make_shared<ToolEntry>();
    if (own_input || has_pattern(tool.input_schema)) {
        entry->input = compile(tool, "inputSchema", tool.input_schema);
    }
    if (!tool.output_schema.empty() && options.check_output().value_or(own_output)) {
        entry->output = compile(tool, "outputSchema", tool.output_schema);
    }
    entry->enabled = options.enabled();
    entry->tool = std::move(tool);
    entry->function = std::move(function);
    entry->options = std::move(options);
    return entry;
}

void check_arguments(ToolEntry const& entry, json::View arguments) {
    if (!entry.input) return;
    if (auto valid = entry.input->validate(arguments); !valid) {
        throw ToolError("invalid arguments: " + valid.error().to_string(),
                        ToolErrorKind::invalid_arguments);
    }
}

void check_output(ToolEntry const& entry, ToolReply const& reply) {
    if (!entry.output) return;
    bool const composed = reply.kind() == ToolReply::Kind::result;
    if (composed && reply.result().is_error) return;
    std::string_view text;
    if (composed) {
        text = reply.result().structured_content.text();
    } else if (reply.kind() == ToolReply::Kind::structured) {
        text = reply.structured();
    }
    if (text.empty()) {
        throw ToolError("the tool has an output schema but returned no structured content",
                        ToolErrorKind::schema_invalid);
    }
    json::Document document;
    auto const root = document.parse(text);
    if (!root) {
        throw ToolError("the structured content is not JSON: " + root.error().to_string(),
                        ToolErrorKind::schema_invalid);
    }
    if (auto valid = entry.output->validate(*root); !valid) {
        throw ToolError(
            "the structured content breaks the output schema: " + valid.error().to_string(),
            ToolErrorKind::schema_invalid);
    }
}

}  // namespace lanyard::server
