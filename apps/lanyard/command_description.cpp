#include "command_description.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "command.hpp"

namespace lanyard::app {
namespace {

/// Returns the choices in the name of an option's type, which CLI11 writes as "TEXT:{a,b}".
std::vector<std::string> choices_of(std::string_view type) {
    auto const begin = type.find('{');
    auto const end = type.rfind('}');
    std::vector<std::string> choices;
    if (begin == std::string_view::npos || end == std::string_view::npos) return choices;
    auto rest = type.substr(begin + 1, end - begin - 1);
    for (;;) {
        auto const comma = rest.find(',');
        choices.emplace_back(rest.substr(0, comma));
        if (comma == std::string_view::npos) return choices;
        rest.remove_prefix(comma + 1);
    }
}

std::vector<std::string> names_of(std::set<CLI::Option*> const& options) {
    std::vector<std::string> names;
    for (auto const* option : options) names.push_back(option->get_name());
    std::ranges::sort(names);
    return names;
}

OptionDescription describe(CLI::Option const& option) {
    OptionDescription described;
    described.short_names = option.get_snames();
    described.long_names = option.get_lnames();
    described.text = option.get_description();
    described.takes_value = option.get_items_expected_max() != 0;
    described.is_repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    if (described.takes_value) described.choices = choices_of(option.get_type_name());
    described.default_value = option.get_default_str();
    described.needs = names_of(option.get_needs());
    described.excludes = names_of(option.get_excludes());
    return described;
}

/// Adds the options of `app` that its help shows.
void add_options(std::vector<OptionDescription>& options, CLI::App const& app) {
    for (auto const* option : app.get_options()) {
        if (option->get_positional() || option->get_group().empty()) continue;
        options.push_back(describe(*option));
    }
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (auto const& command : commands()) names.emplace_back(command.name);
    return names;
}

CommandDescription describe(CLI::App const& program, Command const& command) {
    auto const& app = *program.get_subcommand(std::string(command.name));
    CommandDescription described;
    described.name = command.name;
    described.summary = command.summary;
    described.takes_program = command.takes_program;
    for (auto const* option : app.get_options()) {
        if (!option->get_positional()) continue;
        // The description of the argument "words" is the syntax of the words.
        described.arguments = option->get_name() == "words" ? option->get_description()
                              : option->get_required()      ? option->get_name()
                                                            : "[" + option->get_name() + "]";
        described.choices = choices_of(option->get_type_name());
        if (option->get_name() == "command") described.choices = command_names();
    }
    add_options(described.options, app);
    // For a command without a footer, CLI11 returns the footer of the program.
    if (app.get_footer() != program.get_footer()) described.footer = app.get_footer();
    return described;
}

}  // namespace

std::vector<std::string> OptionDescription::names() const {
    std::vector<std::string> names;
    for (auto const& name : short_names) names.push_back("-" + name);
    for (auto const& name : long_names) names.push_back("--" + name);
    return names;
}

ProgramDescription describe_program(CLI::App const& program) {
    ProgramDescription described;
    described.summary = program.get_description();
    described.footer = program.get_footer();
    add_options(described.options, program);
    for (auto const& command : commands()) {
        described.commands.push_back(describe(program, command));
    }
    return described;
}

std::string join_words(std::vector<std::string> const& words, std::string_view separator) {
    std::string text;
    for (auto const& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

}  // namespace lanyard::app
