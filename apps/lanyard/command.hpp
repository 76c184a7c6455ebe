// The parts of a command: its description and its entry point.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"

namespace lanyard::app {

/// All input of a command except its own options, and the exit code that the command sets.
struct Invocation {
    /// The program to start, after "--" on the command line. Empty if there is no "--".
    std::optional<std::vector<std::string>> program;
    /// Whether --json or --pretty was given.
    bool json = false;
    /// Whether --pretty was given.
    bool pretty = false;
    /// Whether the command prints its result to stdout, so that a write error is a failure.
    bool prints_result = true;
    Exit exit = Exit::ok;
};

/// One command. `declare` adds the command's options to `app`, and a callback that runs the
/// command. The callback may throw everything that failure_of() can convert.
struct Command {
    std::string_view name;
    std::string_view summary;
    void (*declare)(CLI::App& app, Invocation& invocation);
    /// Whether the command can start a program given after "--".
    bool takes_program = false;
};

/// Returns all commands, in the order in which help lists them.
std::span<Command const> commands();

/// Returns the command of that name, or nullptr.
Command const* find_command(std::string_view name);

/// Throws Failure (usage) for an unknown command, with the nearest known name.
[[noreturn]] void refuse_unknown_command(std::string_view typed);

/// If the command line contains an option that `app` does not know, throws Failure (usage), whose
/// text suggests the nearest option or else contains `advice`. `command` is the name of the command
/// in the text.
void refuse_unknown_option(CLI::App const& app, std::string const& command,
                           std::string const& advice);

// Each function is defined in its own file.
void declare_call(CLI::App& app, Invocation& invocation);
void declare_complete(CLI::App& app, Invocation& invocation);
void declare_completion(CLI::App& app, Invocation& invocation);
void declare_describe(CLI::App& app, Invocation& invocation);
void declare_help(CLI::App& app, Invocation& invocation);
void declare_info(CLI::App& app, Invocation& invocation);
void declare_list(CLI::App& app, Invocation& invocation);
void declare_ping(CLI::App& app, Invocation& invocation);
void declare_prompt(CLI::App& app, Invocation& invocation);
void declare_read(CLI::App& app, Invocation& invocation);
void declare_selfcheck(CLI::App& app, Invocation& invocation);
void declare_serve(CLI::App& app, Invocation& invocation);
void declare_shell(CLI::App& app, Invocation& invocation);
void declare_subscribe(CLI::App& app, Invocation& invocation);
void declare_validate(CLI::App& app, Invocation& invocation);
void declare_version(CLI::App& app, Invocation& invocation);

}  // namespace lanyard::app
