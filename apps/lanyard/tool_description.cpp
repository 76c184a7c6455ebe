#include "tool_description.hpp"

#include "lanyard/json/writer.hpp"

#include <algorithm>
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

// The maximum number of objects inside each other that are shown.
constexpr int max_depth = 8;

/// Prints the values that a schema describes, with the members of objects at any depth.
class SchemaPrinter {
public:
    using Value = ToolSchema::Value;

    SchemaPrinter(DescriptionPrinter const& printer, ToolSchema const& schema)
        : printer_(&printer), schema_(&schema) {}

    /// Prints the members of an object: "name: type, required, limits, default", below each what
    /// else is known of it.
    void print_members(Value const& value, std::size_t indentation) {
        for (auto const& member : schema_->members(value)) {
            auto facts = facts_of(member.value);
            facts.insert(facts.begin() + 1, member.required ? "required" : "optional");
            printer_->print(member.name + ": " + joined(facts, ", "), indentation, 4);
            print_details(member.value, indentation + 4);
        }
    }

    /// The type, the limits and the default.
    std::vector<std::string> facts_of(Value const& value) const {
        std::vector<std::string> facts{schema_->plain_type_name(value)};
        auto const others = schema_->other_members(value);
        if (!others.empty()) facts.push_back("with values " + schema_->plain_type_name(others));
        for (auto const& limit : schema_->limits(value)) facts.push_back(limit);
        if (auto const* preset = schema_->default_of(value)) {
            facts.push_back("default " + json::serialize(*preset));
        }
        return facts;
    }

    void print_details(Value const& value, std::size_t indentation) {
        printer_->print(schema_->description(value), indentation);
        print_contents(value, indentation);
    }

    /// Prints the choices, the members, the alternatives, and the same of the elements.
    void print_contents(Value const& value, std::size_t indentation) {
        if (auto const choices = schema_->choices(value); !choices.empty()) {
            print_choices(choices, indentation);
        }
        auto const own = schema_->subschemas(value);
        bool const again = std::ranges::any_of(own, [this](Json const* schema) {
            return std::ranges::find(open_, schema) != open_.end();
        });
        if (again) {
            printer_->print("members as above", indentation);
            return;
        }
        if (depth_ == max_depth) return;
        ++depth_;
        auto const before = open_.size();
        open_.insert(open_.end(), own.begin(), own.end());
        print_members(value, indentation);
        print_variants(value, indentation);
        for (auto const& inner : {schema_->elements(value), schema_->other_members(value)}) {
            if (inner.empty()) continue;
            print_members_of(inner, indentation);
        }
        open_.resize(before);
        --depth_;
    }

private:
    /// Like print_contents(), but without choices, which the array shows as its own.
    void print_members_of(Value const& elements, std::size_t indentation) {
        bool const plain =
            schema_->members(elements).empty() && schema_->variants(elements).empty();
        if (plain && schema_->elements(elements).empty()) return;
        print_contents(elements, indentation);
    }

    void print_variants(Value const& value, std::size_t indentation) {
        auto const variants = schema_->variants(value);
        if (variants.empty()) return;
        printer_->print("one of:", indentation);
        for (auto const& variant : variants) {
            auto const about = schema_->description(variant);
            printer_->print(
                "- " + joined(facts_of(variant), ", ") + (about.empty() ? "" : ": " + about),
                indentation, 2);
            print_contents(variant, indentation + 4);
        }
    }

    void print_choices(std::vector<ToolSchema::Choice> const& choices, std::size_t indentation) {
        auto const shown = std::min(choices.size(), shown_choices);
        bool const in_lines = have_titles(choices);
        std::vector<std::string> values;
        for (std::size_t i = 0; i < shown; ++i) {
            auto const& [value, title] = choices[i];
            values.push_back(in_lines ? "- " + value + (title.empty() ? "" : ": " + title) : value);
        }
        if (shown < choices.size()) values.emplace_back("…");
        if (!in_lines) {
            printer_->print("one of: " + joined(values, ", "), indentation);
            return;
        }
        for (auto const& value : values) printer_->print(value, indentation, 2);
    }

    DescriptionPrinter const* printer_;
    ToolSchema const* schema_;
    std::vector<Json const*> open_;  // the subschemas of the values that are being printed
    int depth_ = 0;
};

void print_result(DescriptionPrinter const& printer, ToolSchema const& output) {
    SchemaPrinter values(printer, output);
    auto const whole = output.whole();
    bool const is_object = !output.members(whole).empty() || !output.variants(whole).empty();
    if (is_object) {
        printer.heading("Structured result:");
        values.print_contents(whole, 2);
    } else {
        printer.heading("Structured result: " + joined(values.facts_of(whole), ", "));
        values.print_details(whole, 2);
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
        SchemaPrinter(printer, input).print_contents(input.whole(), 2);
        if (input.is_open()) printer.print("Other arguments are allowed.", 2);
    }
    if (!tool.output_schema.empty()) {
        print_result(printer, ToolSchema(tool.output_schema));
    }
    if (auto const hints = hints_of(tool); !hints.empty()) printer.heading("Hints: " + hints);
}

}  // namespace lanyard::app
