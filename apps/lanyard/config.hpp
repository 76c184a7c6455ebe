// Configuration files that name servers, as MCP clients keep them: {"mcpServers": {"name": {...}}}.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanyard::app {

/// One server of a configuration: a program to start, or a URL.
struct ServerEntry {
    std::string name;
    std::vector<std::string> command;  ///< empty where the entry has a URL
    std::vector<std::pair<std::string, std::string>> environment;
    std::string working_directory;
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;  ///< to send along, with a URL
};

/// The value of a variable of the environment, if it is set.
using Environment = std::function<std::optional<std::string>(std::string const&)>;

/// The files that are looked through where none is named, first to last.
std::vector<std::filesystem::path> default_config_files(Environment const& environment);

/// The entry of this name: in the file, or in the first of the default files that has it, below
/// `mcpServers` or `servers`. `${NAME}`, `${env:NAME}` and `${NAME:-default}` are replaced. Throws
/// Failure (usage) naming the file, the entry and what is wrong, or the nearest name.
ServerEntry find_server(std::string const& name, std::optional<std::string> const& file,
                        Environment const& environment);

/// Variables of this process.
std::optional<std::string> process_environment(std::string const& name);

}  // namespace lanyard::app
