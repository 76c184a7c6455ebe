// Runs what a command does with a server: connects, reports progress, stops on Ctrl-C, and leaves
// no process behind.
#pragma once

#include <functional>

#include <lanyard/client/client.hpp>

#include "target.hpp"

namespace lanyard::app {

/// Connects and runs `work`, which returns how the command ends. Throws what `work` throws, and
/// Failure or Error where the server cannot be reached. When it returns, the server is gone.
Exit with_server(std::unique_ptr<Connector> connector, TargetOptions const& options,
                 std::function<Task<Exit>(Client const&)> const& work);

}  // namespace lanyard::app
