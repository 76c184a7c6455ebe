// `lanyard help [command]`: describes the program or one command.
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "manual.hpp"

namespace lanyard::app {

void declare_help(CLI::App& app, Invocation&) {
    auto topic = std::make_shared<std::string>();
    auto folder = std::make_shared<std::optional<std::string>>();
    auto* const command = app.add_option("command", *topic, "The command to describe");
    app.add_option("--man-pages", *folder,
                   "Write the manual pages of the program and its commands into this folder")
        ->excludes(command);
    app.callback([&app, topic, folder] {
        CLI::App const& program = *app.get_parent();
        if (*folder) {
            write_manual(describe_program(program), **folder);
            return;
        }
        // App::help() cannot be used: it would describe `help` itself, because that is the command
        // that was given.
        auto const describe = [&](CLI::App const& what, std::string const& name) {
            std::cout << program.get_formatter()->make_help(&what, name,
                                                            CLI::AppFormatMode::Normal);
        };
        if (topic->empty()) {
            describe(program, "lanyard");
        } else if (find_command(*topic) != nullptr) {
            describe(*program.get_subcommand(*topic), "lanyard " + *topic);
        } else {
            refuse_unknown_command(*topic);
        }
    });
}

}  // namespace lanyard::app
