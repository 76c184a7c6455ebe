// The commands and their options as plain data, for completions and manual pages.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lanyard::app {

struct OptionDescription {
    std::vector<std::string> short_names;  ///< without the dash: "v"
    std::vector<std::string> long_names;   ///< without the dashes: "verbose"
    std::string text;
    bool takes_value = false;
    bool is_repeatable = false;
    std::vector<std::string> choices;  ///< allowed values; empty if all are allowed
    std::string default_value;
    std::vector<std::string> needs;     ///< options that must be given as well: "--tls-key"
    std::vector<std::string> excludes;  ///< options that must not be given as well

    /// The names with their dashes, the short ones first: "-v", "--verbose".
    std::vector<std::string> names() const;
};

struct CommandDescription {
    std::string name;
    std::string summary;
    std::string arguments;  ///< the words after the options: "[TARGET] TOOL [ARGUMENT...]"
    /// The allowed values of the first word; empty if all values are allowed.
    std::vector<std::string> choices;
    bool takes_program = false;
    std::vector<OptionDescription> options;
    std::string footer;
};

struct ProgramDescription {
    std::string summary;
    std::vector<OptionDescription> options;
    std::string footer;
    std::vector<CommandDescription> commands;
};

/// Describes the program. Uses the declarations that also parse the command line.
ProgramDescription describe_program(CLI::App const& program);

/// Returns the words in one line: join_words({"a", "b"}, ", ") is "a, b".
std::string join_words(std::vector<std::string> const& words, std::string_view separator);

}  // namespace lanyard::app
