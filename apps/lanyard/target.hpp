// The server that a command connects to, and the options that all client commands share.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/transport.hpp"

namespace lanyard::app {

struct TargetOptions {
    std::vector<std::string> words;  ///< positional arguments
    std::optional<std::string> config;
    std::vector<std::string> headers;
    std::optional<std::string> bearer_env;
    bool insecure = false;
    std::optional<std::string> ca_file;
    std::optional<std::string> certificate;
    std::optional<std::string> key;
    std::optional<std::string> era;
    std::optional<std::string> protocol_version;
    double timeout_seconds = 30;
    std::optional<std::string> framing;
    std::optional<std::string> log_level;
    bool verbose = false;
    std::vector<std::string> answers;
    bool accept = false;
    std::optional<std::string> model_answer;
    std::vector<std::string> roots;
    bool in_shell = false;  ///< whether the command is `lanyard shell`
};

/// Adds the options and the positional arguments to `app`. `words` is the syntax of the
/// positional arguments.
void declare_target_options(CLI::App& app, TargetOptions& options, Invocation& invocation,
                            std::string const& words);

/// Removes the server's name or URL from the words and returns it; empty if the server is the
/// program after "--". Throws Failure (usage) if no server was given.
std::optional<std::string> take_target(std::vector<std::string>& words,
                                       Invocation const& invocation, std::string_view usage);

/// Returns the connector for the server. Throws Failure (usage) if no server has this name, or if
/// the options do not fit the server.
std::unique_ptr<Connector> connector_for(std::optional<std::string> const& target,
                                         Invocation const& invocation,
                                         TargetOptions const& options);

/// Returns the value of --timeout.
Duration timeout_of(TargetOptions const& options);

/// Returns the revisions to offer. Throws Failure (usage) if the options name an unknown revision,
/// or one that is not of the given era.
std::vector<Version> versions_for(TargetOptions const& options);

}  // namespace lanyard::app
