#include "shell_completion.hpp"

#include "lanyard/protocol/logging.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "failure.hpp"
#include "shell_words.hpp"
#include "terminal.hpp"
#include "tool_schema.hpp"

namespace lanyard::app {
namespace {

using enum ShellWords;
constexpr bool saves = true;

constexpr std::array all_commands{
    ShellCommand{"list", "[tools|resources|templates|prompts ...]", "List what the server offers",
                 kinds},
    ShellCommand{"describe", "TOOL", "Describe one tool in full", tool},
    ShellCommand{"info", "", "Show what the server says about itself", none},
    ShellCommand{"call", "TOOL [ARGUMENT...]", "Call a tool", tool_and_arguments, saves},
    ShellCommand{"read", "URI", "Read a resource", uri, saves},
    ShellCommand{"prompt", "NAME [ARGUMENT...]", "Get a prompt", prompt_and_arguments},
    ShellCommand{"complete", "PROMPT|TEMPLATE NAME=TYPED [KNOWN=VALUE...]",
                 "Complete an argument of a prompt or a variable of a template",
                 reference_and_arguments},
    ShellCommand{"ping", "", "Check that the server answers", none},
    ShellCommand{"log", "LEVEL", "Show log messages from this level on", level},
    ShellCommand{"help", "[COMMAND]", "List the commands", command},
    ShellCommand{"exit", "", "End the shell", none},
};

using Words = std::vector<std::string>;

/// Adds those `names` of arguments that are not yet among the `given` words, each followed by "=".
void add_names(Words& found, Words const& names, std::span<std::string const> given) {
    for (auto const& name : names) {
        bool const is_given = std::ranges::any_of(given, [&name](std::string const& word) {
            return word.starts_with(name + "=") || word.starts_with(name + ":=");
        });
        if (!is_given) found.push_back(name + "=");
    }
}

Words tool_arguments(Tool const& tool, std::string_view typed, std::span<std::string const> given) {
    ToolSchema const schema(tool.input_schema);
    Words found;
    auto const equals = typed.find('=');
    if (equals == typed.npos) {
        add_names(found, schema.names(), given);
        return found;
    }
    auto const name = std::string(typed.substr(0, equals));
    for (auto const& choice : schema.choices(name)) found.push_back(name + "=" + choice.value);
    if (schema.types(name).contains("boolean")) {
        found.push_back(name + "=true");
        found.push_back(name + "=false");
    }
    return found;
}

Words prompt_arguments(Prompt const& prompt, std::span<std::string const> given) {
    Words names;
    for (auto const& argument : prompt.arguments) names.push_back(argument.name);
    Words found;
    add_names(found, names, given);
    return found;
}

/// The names of the variables in "{...}" of a template, without operators and modifiers.
Words variables_of(std::string_view text) {
    Words names;
    for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
        auto const close = text.find('}', open);
        if (close == text.npos) break;
        auto inner = text.substr(open + 1, close - open - 1);
        while (!inner.empty()) {
            auto const comma = std::min(inner.find(','), inner.size());
            auto name = inner.substr(0, comma);
            name.remove_prefix(std::min(name.find_first_not_of("+#./;?&"), name.size()));
            name = name.substr(0, name.find_first_of(":*"));
            if (!name.empty()) names.emplace_back(name);
            inner.remove_prefix(std::min(comma + 1, inner.size()));
        }
    }
    return names;
}

template <class T>
T const* named(std::vector<T> const& all, std::string T::* name, std::string const& wanted) {
    auto const found = std::ranges::find(all, wanted, name);
    return found == all.end() ? nullptr : &*found;
}

template <class T>
void add_all(Words& found, std::vector<T> const& all, std::string T::* name) {
    for (auto const& each : all) found.push_back(each.*name);
}

/// Whether the line editor can show the word as it is. Other words are not completed.
bool is_printable(std::string const& word) {
    return word.find_first_of("\n\t") == word.npos && without_control_characters(word) == word;
}

/// The candidates for a word after the command; `before` are the words between the command and this
/// word.
Words candidates(ShellCommand const& shell_command, std::span<std::string const> before,
                 std::string_view typed, ShellCatalog const& catalog) {
    Words found;
    if (typed.starts_with("-")) {
        found = {"--json", "--pretty", "--help"};
        if (shell_command.saves) found.emplace_back("--output");
        if (shell_command.words == tool_and_arguments) found.emplace_back("--no-check");
        return found;
    }
    bool const is_first = before.empty();
    auto const arguments = is_first ? before : before.subspan(1);
    switch (shell_command.words) {
        case none:
            break;
        case kinds:
            found = {"tools", "resources", "templates", "prompts"};
            break;
        case tool:
            if (is_first) add_all(found, catalog.tools, &Tool::name);
            break;
        case tool_and_arguments:
            if (is_first) {
                add_all(found, catalog.tools, &Tool::name);
            } else if (auto const* each = named(catalog.tools, &Tool::name, before.front())) {
                found = tool_arguments(*each, typed, arguments);
            }
            break;
        case uri:
            if (!is_first) break;
            add_all(found, catalog.resources, &Resource::uri);
            // The part of a template before the first variable; the user types the rest.
            for (auto const& each : catalog.templates) {
                auto const& text = each.uri_template;
                found.push_back(text.substr(0, text.find('{')));
            }
            break;
        case prompt_and_arguments:
        case reference_and_arguments:
            if (is_first) {
                add_all(found, catalog.prompts, &Prompt::name);
                if (shell_command.words == prompt_and_arguments) break;
                add_all(found, catalog.templates, &ResourceTemplate::uri_template);
            } else if (auto const* each = named(catalog.prompts, &Prompt::name, before.front())) {
                found = prompt_arguments(*each, arguments);
            } else if (shell_command.words == reference_and_arguments) {
                add_names(found, variables_of(before.front()), arguments);
            }
            break;
        case level:
            if (is_first) {
                found.assign(EnumNames<LoggingLevel>::value.begin(),
                             EnumNames<LoggingLevel>::value.end());
            }
            break;
        case command:
            if (!is_first) break;
            for (auto const& each : all_commands) found.emplace_back(each.name);
            break;
    }
    return found;
}

}  // namespace

std::span<ShellCommand const> shell_commands() {
    return all_commands;
}

ShellCommand const* find_shell_command(std::string_view name) {
    auto const found = std::ranges::find(all_commands, name, &ShellCommand::name);
    return found == all_commands.end() ? nullptr : &*found;
}

Continuations continuations(std::string_view text, ShellCatalog const& catalog) {
    auto const space = text.find_last_of(" \t");
    auto const start = space == text.npos ? 0 : space + 1;
    auto const typed = text.substr(start);
    // Words in quotes are not completed.
    if (typed.find_first_of("'\"\\") != typed.npos) return {};
    Words before;
    try {
        before = split_line(text.substr(0, start));
    } catch (Failure const&) {
        return {};  // a quote is open
    }
    Words all;
    if (before.empty()) {
        for (auto const& each : all_commands) all.emplace_back(each.name);
    } else if (auto const* const known = find_shell_command(before.front())) {
        auto rest = std::vector(before.begin() + 1, before.end());
        std::erase_if(rest, [](std::string const& word) { return word.starts_with("-"); });
        all = candidates(*known, rest, typed, catalog);
    }
    std::set<std::string> found;
    for (auto const& word : all) {
        if (!word.starts_with(typed) || !is_printable(word)) continue;
        // A candidate that needs quotes is offered only if no text was typed, because the quoted
        // form does not begin with the typed text.
        auto text_of_word = quoted(word);
        if (typed.empty() || text_of_word.starts_with(typed)) found.insert(std::move(text_of_word));
    }
    return {start, Words(found.begin(), found.end())};
}

}  // namespace lanyard::app
