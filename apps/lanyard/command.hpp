// What every command of the program is made of: its description and its entry point.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"

namespace lanyard::app {

/// What a command gets beside its own options, and what it leaves.
struct Invocation {
    /// What follows "--" on the command line: the program to start. Absent without "--".
    std::optional<std::vector<std::string>> program;
    /// Whether --json was given.
    bool json = false;
    /// Whether what the command prints is its result, and has to get out.
    bool prints_result = true;
    Exit exit = Exit::ok;
};

/// One command: `declare` adds its options to `app` and a callback that runs it. The callback may
/// throw what failure_of() understands.
struct Command {
    std::string_view name;
    std::string_view summary;
    void (*declare)(CLI::App& app, Invocation& invocation);
    /// Whether it makes use of a program behind "--".
    bool takes_program = false;
};

/// All commands, in the order in which help lists them.
std::span<Command const> commands();

/// The command of that name, or nullptr.
Command const* find_command(std::string_view name);

/// Throws Failure (usage): there is no such command, and which one may have been meant.
[[noreturn]] void refuse_unknown_command(std::string_view typed);

// One file each.
void declare_call(CLI::App& app, Invocation& invocation);
void declare_complete(CLI::App& app, Invocation& invocation);
void declare_help(CLI::App& app, Invocation& invocation);
void declare_list(CLI::App& app, Invocation& invocation);
void declare_prompt(CLI::App& app, Invocation& invocation);
void declare_read(CLI::App& app, Invocation& invocation);
void declare_selfcheck(CLI::App& app, Invocation& invocation);
void declare_serve(CLI::App& app, Invocation& invocation);
void declare_validate(CLI::App& app, Invocation& invocation);
void declare_version(CLI::App& app, Invocation& invocation);

}  // namespace lanyard::app
