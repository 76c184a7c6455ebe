// Starts a server as a child process and communicates over its stdin and stdout.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanyard/time_source.hpp>
#include <lanyard/transport.hpp>
#include <lanyard/transport/framing.hpp>

namespace lanyard {

/// The program to start, and how to end it.
class ChildProcessOptions {
public:
    /// The program and its arguments; no shell is involved. A name without a slash is looked up in
    /// PATH.
    explicit ChildProcessOptions(std::vector<std::string> arguments)
        : arguments_(std::move(arguments)) {}

    /// The folder in which the program is started. Default: the working directory of this process.
    ChildProcessOptions& working_directory(std::string folder) {
        working_directory_ = std::move(folder);
        return *this;
    }
    /// Sets an environment variable, in addition to this process's environment. Default: none.
    ChildProcessOptions& variable(std::string name, std::string value) {
        variables_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    /// Starts the program with an empty environment; use variable() to add to it. Default: this
    /// process's environment.
    ChildProcessOptions& clear_environment() {
        inherit_environment_ = false;
        return *this;
    }
    /// Called with the text that the child writes to stderr, in chunks, on the connection's
    /// executor. Default: the text is written to this process's stderr. In both cases the last
    /// lines are kept for error messages.
    ChildProcessOptions& on_stderr(std::function<void(std::string_view)> sink) {
        on_stderr_ = std::move(sink);
        return *this;
    }
    /// How long the child may take to exit after its stdin was closed. Default: 2 s. After this
    /// time the child gets SIGTERM. If it has still not exited after the same time again, it gets
    /// SIGKILL.
    ChildProcessOptions& exit_timeout(Duration timeout) {
        exit_timeout_ = timeout;
        return *this;
    }
    /// The framing and size limit of messages. Default: StreamOptions().
    ChildProcessOptions& stream(StreamOptions const& options) {
        stream_ = options;
        return *this;
    }
    /// The clock and timers to use. Default: real_time(). Must outlive the connector.
    ChildProcessOptions& time(TimeSource& source) {
        time_ = &source;
        return *this;
    }

    std::vector<std::string> const& arguments() const noexcept { return arguments_; }
    std::optional<std::string> const& working_directory() const noexcept {
        return working_directory_;
    }
    std::vector<std::pair<std::string, std::string>> const& variables() const noexcept {
        return variables_;
    }
    bool inherit_environment() const noexcept { return inherit_environment_; }
    std::function<void(std::string_view)> const& on_stderr() const noexcept { return on_stderr_; }
    Duration exit_timeout() const noexcept { return exit_timeout_; }
    StreamOptions const& stream() const noexcept { return stream_; }
    TimeSource& time() const noexcept { return *time_; }

private:
    std::vector<std::string> arguments_;
    std::optional<std::string> working_directory_;
    std::vector<std::pair<std::string, std::string>> variables_;
    bool inherit_environment_ = true;
    std::function<void(std::string_view)> on_stderr_;
    Duration exit_timeout_ = std::chrono::seconds(2);
    StreamOptions stream_;
    TimeSource* time_ = &real_time();
};

/// Starts the program for every connection. Closing a connection closes the child's stdin. If the
/// child then does not exit, it gets SIGTERM, and later SIGKILL, together with its process group.
/// Transport::closed() completes when the child is reaped.
std::unique_ptr<Connector> child_process(ChildProcessOptions options);
/// Starts a program with these arguments and default options. To set options, pass
/// ChildProcessOptions.
template <class... Arguments>
    requires(std::constructible_from<std::string, Arguments> && ...)
std::unique_ptr<Connector> child_process(std::string program, Arguments... arguments) {
    std::vector<std::string> all;
    all.reserve(sizeof...(arguments) + 1);
    all.push_back(std::move(program));
    (all.push_back(std::string(std::move(arguments))), ...);
    return child_process(ChildProcessOptions(std::move(all)));
}
inline std::unique_ptr<Connector> child_process(std::string program,
                                                std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::move(program));
    return child_process(ChildProcessOptions(std::move(arguments)));
}

}  // namespace lanyard
