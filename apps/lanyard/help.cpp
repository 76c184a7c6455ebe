// `lanyard help [command]`: describes the program or one command.
#include <iostream>
#include <memory>
#include <string>

#include "command.hpp"

namespace lanyard::app {

void declare_help(CLI::App& app, Invocation&) {
    auto topic = std::make_shared<std::string>();
    app.add_option("command", *topic, "The command to describe");
    app.callback([&app, topic] {
        CLI::App const& program = *app.get_parent();
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
