// Runs a command's work with a server: connects, reports progress, stops on Ctrl-C, and leaves no
// child process running.
#pragma once

#include <functional>
#include <string>

#include "lanyard/client/client.hpp"
#include "target.hpp"

namespace lanyard::app {

/// Connects and runs `work`, which returns the exit code. Throws what `work` throws, and Failure or
/// Error if the server cannot be reached. When the function returns, the connection is closed and a
/// started server has ended.
Exit with_server(std::unique_ptr<Connector> connector, TargetOptions const& options,
                 std::function<Task<Exit>(Client const&)> const& work);

/// Functions with which a command changes how its connection behaves. Those not set have no effect.
struct ConnectionHooks {
    /// Changes the client's options before it connects.
    std::function<void(ClientOptions&)> configure;
    /// Called with SIGINT or SIGTERM. Returns true if it has handled the signal. If it returns
    /// false, the work is cancelled and with_server() throws Failure (interrupted).
    std::function<bool(int)> on_signal;
    /// Prints one line of the server's log. Default: to stderr.
    std::function<void(std::string const&)> print_log;
    /// Called when the connection is lost, with the reason.
    std::function<void(std::string const& reason)> on_lost;
};

/// Same as above, with hooks.
Exit with_server(std::unique_ptr<Connector> connector, TargetOptions const& options,
                 std::function<Task<Exit>(Client const&)> const& work,
                 ConnectionHooks const& hooks);

/// Returns the failure of a request, with advice about an option that prevents the failure.
Failure request_failure(std::exception_ptr const& thrown, TargetOptions const& options);

}  // namespace lanyard::app
