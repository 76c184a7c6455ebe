// The commands of `lanyard shell`, and completion of its lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/protocol/prompts.hpp"
#include "lanyard/protocol/resources.hpp"
#include "lanyard/protocol/tool.hpp"
#include "line_editor.hpp"

namespace lanyard::app {

/// The kinds of words that follow a command of the shell.
enum class ShellWords {
    none,
    kinds,
    tool,
    tool_and_arguments,
    uri,
    prompt_and_arguments,
    reference_and_arguments,
    level,
    command
};

struct ShellCommand {
    std::string_view name;
    std::string_view arguments;
    std::string_view summary;
    ShellWords words;
    /// Whether the command has the option --output.
    bool saves = false;
};

/// Returns the commands of the shell, in the order in which `help` lists them.
std::span<ShellCommand const> shell_commands();

/// Returns the command of that name, or nullptr.
ShellCommand const* find_shell_command(std::string_view name);

/// The features of a server that completion can suggest.
struct ShellCatalog {
    std::vector<Tool> tools;
    std::vector<Resource> resources;
    std::vector<ResourceTemplate> templates;
    std::vector<Prompt> prompts;
};

/// Returns how the last word of this text may continue: commands, options, names of the catalog,
/// arguments with their choices. Nothing if the last word contains quotes.
Continuations continuations(std::string_view text, ShellCatalog const& catalog);

}  // namespace lanyard::app
