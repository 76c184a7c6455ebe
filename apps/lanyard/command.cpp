// The table of commands.
#include "command.hpp"

#include <algorithm>
#include <array>

#include "nearest.hpp"

namespace lanyard::app {
namespace {

constexpr bool with_program = true;

constexpr std::array all_commands{
    Command{"serve", "Run a server: the demonstration of every feature", declare_serve},
    Command{"list", "List what a server offers", declare_list, with_program},
    Command{"describe", "Describe one tool in full", declare_describe, with_program},
    Command{"info", "Show what a server says about itself", declare_info, with_program},
    Command{"call", "Call a tool", declare_call, with_program},
    Command{"read", "Read a resource", declare_read, with_program},
    Command{"prompt", "Get a prompt", declare_prompt, with_program},
    Command{"complete", "Complete an argument of a prompt or a variable of a resource template",
            declare_complete, with_program},
    Command{"subscribe", "Print changes of resources until Ctrl-C", declare_subscribe,
            with_program},
    Command{"ping", "Check that a server answers", declare_ping, with_program},
    Command{"shell", "Run many commands over one connection", declare_shell, with_program},
    Command{"validate", "Check how a server keeps to the protocol", declare_validate, with_program},
    Command{"selfcheck", "Read, validate and write a message of every protocol revision",
            declare_selfcheck},
    Command{"completion", "Print the completion of command lines for a shell", declare_completion},
    Command{"version", "Print the version and the protocol revisions", declare_version},
    Command{"help", "Describe the program or one of its commands", declare_help},
};

}  // namespace

std::span<Command const> commands() {
    return all_commands;
}

Command const* find_command(std::string_view name) {
    auto const found = std::ranges::find(all_commands, name, &Command::name);
    return found == all_commands.end() ? nullptr : &*found;
}

void refuse_unknown_command(std::string_view typed) {
    std::vector<std::string> names;
    for (auto const& command : all_commands) names.emplace_back(command.name);
    usage_error("there is no command '" + std::string(typed) + "'" +
                suggestion(typed, names, "'lanyard help' lists them"));
}

void refuse_unknown_option(CLI::App const& app, std::string const& command,
                           std::string const& advice) {
    for (auto const& extra : app.remaining()) {
        if (!extra.starts_with('-')) continue;
        auto const typed = extra.substr(0, extra.find('='));
        std::vector<std::string> names;
        for (auto const* option : app.get_options()) {
            for (auto const& name : option->get_lnames()) names.push_back("--" + name);
        }
        usage_error(command + " has no option '" + typed + "'" + suggestion(typed, names, advice));
    }
}

}  // namespace lanyard::app
