#include "tool_description.hpp"

#include "lanyard/json/writer.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "characters.hpp"
#include "terminal.hpp"
#include "tool_schema.hpp"

namespace lanyard::app {
namespace {

// The number of choices shown for an argument; an ellipsis replaces the other choices.
constexpr std::size_t shown_choices = 100;

class DescriptionPrinter {
public:
    DescriptionPrinter(std::ostream& out, std::size_t width) : out_(&out), width_(width) {}

    void print(std::string_view text, std::size_t indentation, std::size_t more = 0) const {
        *out_ << wrapped(without_control_characters(text), indentation, width_, more);
    }

    void heading(std::string_view text) const {
        *out_ << '\n';
        print(text, 0);
    }

private:
    std::ostream* out_;
    std::size_t width_;
};

std::string joined(std::vector<std::string> const& parts, std::string_view separator) {
    std::string text;
    for (auto const& part : parts) text.append(text.empty() ? "" : separator).append(part);
    return text;
}

bool have_titles(std::vector<ToolSchema::Choice> const& choices) {
    for (auto const& choice : choices) {
        if (!choice.title.empty()) return true;
    }
    return false;
}

void print_choices(DescriptionPrinter const& printer,
                   std::vector<ToolSchema::Choice> const& choices) {
    auto const shown = std::min(choices.size(), shown_choices);
    bool const in_lines = have_titles(choices);
    std::vector<std::string> values;
    for (std::size_t i = 0; i < shown; ++i) {
        auto const& [value, title] = choices[i];
        values.push_back(in_lines ? "- " + value + (title.empty() ? "" : ": " + title) : value);
    }
    if (shown < choices.size()) values.emplace_back("…");
    if (!in_lines) {
        printer.print("one of: " + joined(values, ", "), 6);
        return;
    }
    for (auto const& value : values) printer.print(value, 6, 2);
}

/// Prints the members of an object: "name: type, required, limits, default", below it the
/// description and the choices.
void print_members(DescriptionPrinter const& printer, ToolSchema const& schema) {
    for (auto const& name : schema.names()) {
        std::vector<std::string> facts{schema.plain_type_name(name)};
        facts.emplace_back(schema.requires_argument(name) ? "required" : "optional");
        for (auto const& limit : schema.limits(name)) facts.push_back(limit);
        if (auto const* value = schema.default_of(name)) {
            facts.push_back("default " + json::serialize(*value));
        }
        printer.print(name + ": " + joined(facts, ", "), 2, 4);
        printer.print(schema.description(name), 6);
        if (auto const choices = schema.choices(name); !choices.empty()) {
            print_choices(printer, choices);
        }
    }
}

std::string hints_of(Tool const& tool) {
    std::vector<std::string> hints;
    auto const add = [&hints](std::optional<bool> hint, char const* yes, char const* no) {
        if (hint) hints.emplace_back(*hint ? yes : no);
    };
    if (tool.annotations) {
        auto const& given = *tool.annotations;
        add(given.read_only_hint, "read-only", "not read-only");
        add(given.destructive_hint, "destructive", "not destructive");
        add(given.idempotent_hint, "idempotent", "not idempotent");
        add(given.open_world_hint, "open world", "closed world");
    }
    if (tool.execution && tool.execution->task_support) {
        hints.push_back("tasks " + std::string(to_string(*tool.execution->task_support)));
    }
    return joined(hints, ", ");
}

}  // namespace

void describe(std::ostream& out, Tool const& tool, std::size_t width) {
    DescriptionPrinter const printer(out, width);
    auto const& title = tool.display_name();
    printer.print(tool.name + (title == tool.name ? "" : ": " + title), 0);
    printer.print(tool.description, 2);

    ToolSchema const input(tool.input_schema);
    if (input.names().empty()) {
        printer.heading(input.is_open() ? "Arguments: any" : "Arguments: none");
    } else {
        printer.heading("Arguments:");
        print_members(printer, input);
        if (input.is_open()) printer.print("Other arguments are allowed.", 2);
    }
    if (!tool.output_schema.empty()) {
        ToolSchema const output(tool.output_schema);
        printer.heading("Structured result:");
        print_members(printer, output);
    }
    if (auto const hints = hints_of(tool); !hints.empty()) printer.heading("Hints: " + hints);
}

}  // namespace lanyard::app
