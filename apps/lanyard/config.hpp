// Configuration files with named servers, in the format of MCP clients: {"mcpServers": {"name":
// {...}}}.
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
    std::vector<std::string> command;  ///< empty if the entry has a URL
    std::vector<std::pair<std::string, std::string>> environment;
    std::string working_directory;
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;  ///< sent to a URL with every request
    std::string problem;  ///< why the entry cannot be used; only in the result of list_servers()
};

/// Looks up an environment variable; nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(std::string const&)>;

/// Returns the files that are searched if the user names no file, in the order of the search.
std::vector<std::filesystem::path> default_config_files(Environment const& environment);

/// Returns the entry of this name below `mcpServers` or `servers`, from the file or from the first
/// default file that has it. Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}`. Throws
/// Failure (usage), whose text names the file, the entry and the problem. If no file has the entry,
/// the text suggests the nearest name.
ServerEntry find_server(std::string const& name, std::optional<std::string> const& file,
                        Environment const& environment);

/// Returns all entries of the file in their order, with `${NAME}` as it is written, so that unset
/// variables do no harm and no secret is shown. An entry that cannot be used has only a name and a
/// problem. Throws Failure (usage) if the file cannot be read.
std::vector<ServerEntry> list_servers(std::string const& file);

/// Looks up a variable of this process.
std::optional<std::string> process_environment(std::string const& name);

}  // namespace lanyard::app
