// What every command of the program is made of: its exit codes, its description and its entry
// point.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace lanyard::app {

/// Exit codes of the program; scripts rely on the numbers.
enum class Exit : int {
    ok = 0,
    usage = 1,
    authorization_needed = 3,
    unreachable = 4,
    tool_error = 5,
    protocol_error = 6,
    timeout = 7,
};

/// One command: `declare` adds its options to `app` and a callback that runs it and leaves in
/// `exit` how it ended.
struct Command {
    std::string_view name;
    std::string_view summary;
    void (*declare)(CLI::App& app, Exit& exit);
};

/// All commands, in the order in which help lists them.
std::span<Command const> commands();

/// The command of that name, or nullptr.
Command const* find_command(std::string_view name);

/// The command name that is nearest to what was typed, where one is near enough to be meant.
std::optional<std::string_view> nearest_command(std::string_view typed);

/// Says on stderr that there is no such command, and which one may have been meant.
Exit report_unknown_command(std::string_view typed);

// One file each.
void declare_help(CLI::App& app, Exit& exit);
void declare_selfcheck(CLI::App& app, Exit& exit);
void declare_version(CLI::App& app, Exit& exit);

}  // namespace lanyard::app
