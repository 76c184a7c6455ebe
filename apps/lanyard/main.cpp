// The lanyard program: finds the command, lets it declare its options, and runs it.
#include "lanyard/version.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "runtime/standard_descriptors.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view exit_codes =
    "Exit codes: 0 ok, 1 usage, 3 authorization needed, 4 unreachable, 5 tool error, "
    "6 protocol error, 7 timeout, 130 interrupted.";

/// Removes "--" and everything after it from the arguments, and returns what follows "--".
std::optional<std::vector<std::string>> split_program(std::vector<std::string>& arguments) {
    auto const dashes = std::ranges::find(arguments, "--");
    if (dashes == arguments.end()) return std::nullopt;
    std::vector<std::string> program(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    return program;
}

void check_program(Command const& command, Invocation const& invocation) {
    if (!invocation.program) return;
    if (!command.takes_program) {
        usage_error("'" + std::string(command.name) + "' starts no program: nothing may follow --");
    }
    if (invocation.program->empty()) usage_error("there is no program to start after --");
}

void run(std::vector<std::string> arguments, Invocation& invocation) {
    invocation.program = split_program(arguments);
    for (auto const* option : {"--json", "--pretty"}) {
        invocation.json |= std::ranges::find(arguments, option) != arguments.end();
    }
    if (!arguments.empty() && !arguments.front().starts_with('-')) {
        auto const* command = find_command(arguments.front());
        if (command == nullptr) refuse_unknown_command(arguments.front());
        check_program(*command, invocation);
    }

    CLI::App program("Toolbox for the Model Context Protocol", "lanyard");
    program.require_subcommand(1);
    program.set_version_flag("--version", "lanyard " LANYARD_VERSION_STRING);
    program.footer(std::string(exit_codes));
    for (auto const& command : commands()) {
        auto& app =
            *program.add_subcommand(std::string(command.name), std::string(command.summary));
        command.declare(app, invocation);
    }
    if (arguments.empty() && !invocation.program) {
        std::cerr << program.help();
        invocation.exit = Exit::usage;
        return;
    }
    try {
        std::ranges::reverse(arguments);  // CLI11 expects the arguments in reverse order
        program.parse(std::move(arguments));
    } catch (CLI::ParseError const& error) {
        // If the exit code is 0, the user asked for help or the version, which exit() prints.
        if (error.get_exit_code() == 0) {
            program.exit(error);
            return;
        }
        auto const given = program.get_subcommands();
        auto const& app = given.empty() ? program : *given.front();
        auto const name = given.empty() ? "" : " " + app.get_name();
        refuse_unknown_option(app, "lanyard" + name, "'lanyard help" + name + "' lists them");
        usage_error(error.what());
    }
}

/// Makes the command fail if its output could not be written.
void check_output(Invocation& invocation) {
    std::cout.flush();
    if (std::cout || !invocation.prints_result || invocation.exit != Exit::ok) return;
    invocation.exit = report(Failure(Exit::usage, "the output cannot be written"), invocation.json);
}

}  // namespace
}  // namespace lanyard::app

int main(int argc, char** argv) {
    using namespace lanyard::app;
    lanyard::runtime::reserve_standard_descriptors();
    // Ignores SIGPIPE, so that writing to a closed pipe fails instead of ending the process.
    std::signal(SIGPIPE, SIG_IGN);
    Invocation invocation;
    try {
        run(std::vector<std::string>(argv + (argc > 0), argv + argc), invocation);
    } catch (...) {
        invocation.exit = report(failure_of(std::current_exception()), invocation.json);
    }
    check_output(invocation);
    return static_cast<int>(invocation.exit);
}
