// The lanyard program: finds the command, lets it declare its options, and runs it.
#include <lanyard/version.hpp>

#include <cstddef>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "command.hpp"

namespace lanyard::app {
namespace {

Exit run(int argc, char** argv) {
    std::span<char* const> const arguments(argv, static_cast<std::size_t>(argc));
    if (arguments.size() > 1) {
        std::string_view const first = arguments[1];
        if (!first.starts_with('-') && find_command(first) == nullptr) {
            return report_unknown_command(first);
        }
    }

    CLI::App program("Lanyard: toolbox for the Model Context Protocol", "lanyard");
    program.require_subcommand(1);
    program.set_version_flag("--version", "lanyard " LANYARD_VERSION_STRING);
    program.footer(
        "Exit codes: 0 ok, 1 usage, 3 authorization needed, 4 unreachable, 5 tool error, "
        "6 protocol error, 7 timeout.");
    Exit exit = Exit::ok;
    for (auto const& command : commands()) {
        command.declare(
            *program.add_subcommand(std::string(command.name), std::string(command.summary)), exit);
    }
    try {
        program.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        // exit() prints the help, the version or what is wrong; only the last is a failure.
        return program.exit(error) == 0 ? Exit::ok : Exit::usage;
    }
    return exit;
}

}  // namespace
}  // namespace lanyard::app

int main(int argc, char** argv) {
    try {
        return static_cast<int>(lanyard::app::run(argc, argv));
    } catch (std::exception const& error) {
        std::cerr << "lanyard: " << error.what() << '\n';
        return static_cast<int>(lanyard::app::Exit::protocol_error);
    }
}
