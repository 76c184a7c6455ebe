// Runs a command's work with a server: connects, reports progress, stops on Ctrl-C, and leaves no
// child process running.
#pragma once

#include <functional>

#include <lanyard/client/client.hpp>

#include "target.hpp"

namespace lanyard::app {

/// Connects and runs `work`, which returns the exit code. Throws what `work` throws, and Failure or
/// Error if the server cannot be reached. When the function returns, the connection is closed and a
/// started server has ended.
Exit with_server(std::unique_ptr<Connector> connector, TargetOptions const& options,
                 std::function<Task<Exit>(Client const&)> const& work);

}  // namespace lanyard::app
