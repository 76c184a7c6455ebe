#include "show.hpp"

#include "lanyard/base64.hpp"
#include "lanyard/json/writer.hpp"

#include <cstdint>

#include "table.hpp"
#include "terminal.hpp"
#include "tool_schema.hpp"

namespace lanyard::app {
namespace {

void append_word(std::string& text, std::string const& word, bool required) {
    if (!text.empty()) text += ' ';
    text += required ? word : "[" + word + "]";
}

std::size_t decoded_size(std::string_view encoded) {
    auto const bytes = base64::decode(encoded);
    return bytes ? bytes->size() : encoded.size() / 4 * 3;
}

void show_binary(std::ostream& out, std::string const& mime_type, std::string_view encoded) {
    out << '[' << (mime_type.empty() ? "binary data" : for_terminal(mime_type)) << ", "
        << human_size(decoded_size(encoded)) << "]\n";
}

void show_text(std::ostream& out, std::string_view text) {
    out << for_terminal(text);
    if (!text.ends_with('\n')) out << '\n';
}

}  // namespace

std::string human_size(std::size_t bytes) {
    if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    constexpr std::string_view units[] = {"KB", "MB", "GB"};
    auto tenths = (static_cast<std::uint64_t>(bytes) + 50) / 100;
    std::size_t unit = 0;
    while (tenths >= 10'000 && unit + 1 < std::size(units)) {
        tenths = (tenths + 500) / 1000;
        ++unit;
    }
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " +
           std::string(units[unit]);
}

std::string signature(RawJson const& input_schema) {
    ToolSchema const schema(input_schema);
    std::string text;
    for (auto const& name : schema.names()) {
        auto const word = first_line(name) + ":" + first_line(schema.type_name(name));
        append_word(text, word, schema.requires_argument(name));
    }
    return text;
}

std::string signature(Prompt const& prompt) {
    std::string text;
    for (auto const& argument : prompt.arguments) {
        append_word(text, first_line(argument.name), argument.required);
    }
    return text;
}

void show(std::ostream& out, std::vector<Tool> const& tools) {
    Table table({"TOOL", "ARGUMENTS", "DESCRIPTION"});
    for (auto const& tool : tools) {
        table.add({first_line(tool.name), signature(tool.input_schema),
                   first_line(tool.description.empty() ? tool.title : tool.description)});
    }
    table.print(out, terminal_width());
}

void show(std::ostream& out, std::vector<Resource> const& resources) {
    Table table({"RESOURCE", "TYPE", "NAME", "DESCRIPTION"});
    for (auto const& resource : resources) {
        table.add({first_line(resource.uri), first_line(resource.mime_type),
                   first_line(resource.title.empty() ? resource.name : resource.title),
                   first_line(resource.description)});
    }
    table.print(out, terminal_width());
}

void show(std::ostream& out, std::vector<ResourceTemplate> const& templates) {
    Table table({"TEMPLATE", "TYPE", "NAME", "DESCRIPTION"});
    for (auto const& each : templates) {
        table.add({first_line(each.uri_template), first_line(each.mime_type),
                   first_line(each.title.empty() ? each.name : each.title),
                   first_line(each.description)});
    }
    table.print(out, terminal_width());
}

void show(std::ostream& out, std::vector<Prompt> const& prompts) {
    Table table({"PROMPT", "ARGUMENTS", "DESCRIPTION"});
    for (auto const& prompt : prompts) {
        table.add({first_line(prompt.name), signature(prompt),
                   first_line(prompt.description.empty() ? prompt.title : prompt.description)});
    }
    table.print(out, terminal_width());
}

void show(std::ostream& out, ResourceContents const& contents) {
    if (auto const* text = std::get_if<TextResourceContents>(&contents)) {
        show_text(out, text->text);
    } else {
        auto const& blob = std::get<BlobResourceContents>(contents);
        show_binary(out, blob.mime_type, blob.blob);
    }
}

void show(std::ostream& out, ContentBlock const& block) {
    if (auto const* text = std::get_if<TextContent>(&block)) {
        show_text(out, text->text);
    } else if (auto const* image = std::get_if<ImageContent>(&block)) {
        show_binary(out, image->mime_type, image->data);
    } else if (auto const* audio = std::get_if<AudioContent>(&block)) {
        show_binary(out, audio->mime_type, audio->data);
    } else if (auto const* link = std::get_if<ResourceLink>(&block)) {
        out << "[resource " << for_terminal(link->resource.uri);
        if (!link->resource.name.empty()) out << ", " << for_terminal(link->resource.name);
        out << "]\n";
    } else if (auto const* embedded = std::get_if<EmbeddedResource>(&block)) {
        auto const uri = std::visit([](auto const& each) { return each.uri; }, embedded->resource);
        out << "[resource " << for_terminal(uri) << "]\n";
        show(out, embedded->resource);
    } else {
        show_text(out, std::get<UnknownContent>(block).json.text());
    }
}

void show(std::ostream& out, CallToolResult const& result) {
    for (auto const& block : result.content) show(out, block);
    // Shows structured content only if there is no other content, because servers repeat the
    // structured content as text.
    if (!result.structured_content.empty() && result.content.empty()) {
        show_text(out, result.structured_content.text());
    }
}

void show(std::ostream& out, GetPromptResult const& result) {
    for (auto const& message : result.messages) {
        out << to_string(message.role) << ":\n";
        show(out, message.content);
    }
}

}  // namespace lanyard::app
