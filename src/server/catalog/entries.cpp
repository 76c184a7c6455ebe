#include "server/catalog/entries.hpp"

#include <algorithm>
#include <set>

#include "json/pointer.hpp"
#include "lanyard/json/writer.hpp"
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

bool mentions(RawJson const& schema, std::string_view word) {
    return schema.text().find(word) != std::string::npos;
}

// Whether the schema may have patterns, the only part of a generated schema that decode() does not
// check. Also returns true if a property is named "pattern"; this only causes an unneeded
// validation.
bool has_pattern(RawJson const& schema) {
    return mentions(schema, "\"pattern\"");
}

// Returns the properties that may be absent but must not be null.
std::vector<std::string> find_never_null(RawJson const& input_schema,
                                         schema::Validator const& validator) {
    std::vector<std::string> names;
    json::Document document;
    auto const schema = document.parse(input_schema.text()).value();
    auto const properties = schema.find("properties");
    if (!properties) return names;
    std::set<std::string> required;
    if (auto const list = schema.find("required")) {
        for (auto const name : list->elements()) required.insert(name.as_string().value_or(""));
    }
    for (auto const& property : properties->members()) {
        auto name = *property.key.as_string();
        if (required.contains(name)) continue;
        std::string location = "#/properties";
        json::append_pointer_step(location, name);
        auto const one = validator.at(location);
        if (one && !one->is_valid(Json(nullptr))) names.push_back(std::move(name));
    }
    return names;
}

std::vector<wire::ParamHeader> param_headers(Tool const& tool) {
    json::Document document;
    auto const schema = document.parse(tool.input_schema.text());
    auto headers = wire::param_headers(*schema);
    if (!headers) refuse("tool", tool.name, "inputSchema" + headers.error().to_string());
    return *std::move(headers);
}

// Copies the options that every kind of feature has (title, icons, _meta) to the feature's
// description.
template <class Value, class Options>
void apply_common(Options const& options, Value& value, std::string_view what) {
    if (!options.title().empty()) value.title = options.title();
    value.icons.insert(value.icons.end(), options.icons().begin(), options.icons().end());
    if (!options.meta().empty()) value.meta = options.meta();
    for (auto const& icon : value.icons) {
        if (auto valid = protocol::check_icon_source(icon.src); !valid) {
            refuse(what, key_of(value), "icons: " + valid.error().message);
        }
    }
}

template <class Value>
void apply(ResourceOptions const& options, Value& value, std::string_view what) {
    apply_common(options, value, what);
    if (!options.description().empty()) value.description = options.description();
    if (!options.mime_type().empty()) value.mime_type = options.mime_type();
    if (options.annotations()) value.annotations = options.annotations();
}

}  // namespace

std::shared_ptr<ToolEntry const> make_tool_entry(Tool tool, ToolFunction function,
                                                 ToolOptions options, Typing typing) {
    apply_common(options, tool, "tool");
    if (options.annotations()) tool.annotations = options.annotations();
    if (!options.output_schema().empty()) tool.output_schema = options.output_schema();
    if (auto valid = protocol::check_tool(tool); !valid) {
        refuse("tool", tool.name, valid.error().to_string());
    }
    bool const own_input = typing == Typing::dynamic;
    bool const own_output = own_input || !options.output_schema().empty();
    auto entry = std::make_shared<ToolEntry>();
    if (own_input || has_pattern(tool.input_schema)) {
        entry->input = compile(tool, "inputSchema", tool.input_schema);
        entry->never_null = find_never_null(tool.input_schema, *entry->input);
    }
    if (!tool.output_schema.empty() && options.check_output().value_or(own_output)) {
        entry->output = compile(tool, "outputSchema", tool.output_schema);
    }
    if (mentions(tool.input_schema, "\"x-mcp-header\"")) {
        entry->headers = param_headers(tool);
    }
    entry->enabled = options.enabled();
    entry->tool = std::move(tool);
    entry->function = std::move(function);
    entry->options = std::move(options);
    return entry;
}

std::shared_ptr<ResourceEntry const> make_resource_entry(Resource resource,
                                                         ResourceFunction function,
                                                         ResourceOptions options) {
    apply(options, resource, "resource");
    if (options.size()) {
        resource.size = options.size();
    } else if (!resource.size) {
        resource.size = function.size;
    }
    if (auto valid = protocol::check_uri(resource.uri); !valid) {
        refuse("resource", resource.uri, valid.error().message);
    }
    if (resource.name.empty()) refuse("resource", resource.uri, "must have a name");
    auto entry = std::make_shared<ResourceEntry>();
    entry->resource = std::move(resource);
    entry->function = std::move(function);
    entry->options = std::move(options);
    return entry;
}

std::shared_ptr<TemplateEntry const> make_template_entry(ResourceTemplate resource_template,
                                                         ResourceFunction function,
                                                         ResourceOptions options) {
    constexpr std::string_view what = "resource template";
    apply(options, resource_template, what);
    auto const& text = resource_template.uri_template;
    auto parsed = UriTemplate::parse(text);
    if (!parsed) refuse(what, text, parsed.error().to_string());
    if (resource_template.name.empty()) refuse(what, text, "must have a name");
    auto const& variables = parsed->variables();
    for (auto const& name : function.required) {
        if (std::ranges::find(variables, name) != variables.end()) continue;
        refuse(what, text,
               "the handler requires the member \"" + name +
                   "\", which is no variable of the template");
    }
    auto entry = std::make_shared<TemplateEntry>(std::move(resource_template), *std::move(parsed));
    entry->function = std::move(function);
    entry->options = std::move(options);
    return entry;
}

std::shared_ptr<PromptEntry const> make_prompt_entry(Prompt prompt, PromptFunction function,
                                                     PromptOptions options) {
    apply_common(options, prompt, "prompt");
    if (!is_legal(prompt)) refuse("prompt", prompt.name, "must have a name");
    std::set<std::string_view> names;
    for (auto const& argument : prompt.arguments) {
        if (argument.name.empty()) refuse("prompt", prompt.name, "an argument has no name");
        if (!names.insert(argument.name).second) {
            refuse("prompt", prompt.name, "argument \"" + argument.name + "\" is there twice");
        }
    }
    auto entry = std::make_shared<PromptEntry>();
    entry->prompt = std::move(prompt);
    entry->function = std::move(function);
    entry->options = std::move(options);
    return entry;
}

bool is_legal(Tool const& tool) {
    return protocol::check_tool(tool).has_value();
}

bool is_legal(Resource const& resource) {
    return protocol::check_uri(resource.uri).has_value() && !resource.name.empty();
}

bool is_legal(ResourceTemplate const& resource_template) {
    return UriTemplate::parse(resource_template.uri_template).has_value() &&
           !resource_template.name.empty();
}

bool is_legal(Prompt const& prompt) {
    return !prompt.name.empty();
}

std::unique_ptr<OwnArguments> without_nulls(ToolEntry const& entry, json::View arguments) {
    if (entry.never_null.empty()) return nullptr;
    auto const dropped = [&](json::Member const& member) {
        return member.value.is_null() &&
               std::ranges::any_of(entry.never_null, [&](std::string const& name) {
                   return member.key.equals(name);
               });
    };
    std::size_t kept = 0;
    for (auto const& member : arguments.members()) kept += dropped(member) ? 0 : 1;
    if (kept == arguments.size()) return nullptr;
    auto own = std::make_unique<OwnArguments>();
    json::Writer writer(own->text);
    writer.begin_object();
    for (auto const& member : arguments.members()) {
        if (!dropped(member)) writer.key(*member.key.as_string()).raw(member.value.raw());
    }
    writer.end_object();
    json::ParseOptions options;
    options.max_bytes = own->text.size();
    own->root = own->document.parse(own->text, options).value();
    return own;
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
    json::ParseOptions options;
    options.max_bytes = text.size();  // ToolOptions::max_result_bytes limits the result
    auto const root = document.parse(text, options);
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

void check_arguments(PromptEntry const& entry, PromptArguments const& arguments) {
    for (auto const& argument : entry.prompt.arguments) {
        if (argument.required && !arguments.contains(argument.name)) {
            throw DecodeError{"/arguments", "\"" + argument.name + "\" is missing"};
        }
    }
}

}  // namespace lanyard::server
