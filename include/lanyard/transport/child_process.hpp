// Starting a server as a child process and talking to it over its stdin and stdout.
#pragma once

#include <chrono>
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

/// What to start, and how to end it.
class ChildProcessOptions {
public:
    /// The program and its arguments; no shell is involved. A name without a slash is looked up in
    /// PATH.
    explicit ChildProcessOptions(std::vector<std::string> arguments)
        : arguments_(std::move(arguments)) {}

    ChildProcessOptions& working_directory(std::string folder) {
        working_directory_ = std::move(folder);
        return *this;
    }
    /// Sets a variable on top of this process's environment.
    ChildProcessOptions& variable(std::string name, std::string value) {
        variables_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    /// Starts with an empty environment instead of this process's.
    ChildProcessOptions& clear_environment() {
        inherit_environment_ = false;
        return *this;
    }
    /// Gets what the child writes to stderr, in pieces, on the connection's executor. Without it
    /// the text goes to this process's stderr. The last lines are kept for error messages either
    /// way.
    ChildProcessOptions& on_stderr(std::function<void(std::string_view)> sink) {
        on_stderr_ = std::move(sink);
        return *this;
    }
    /// How long the child has to exit after its stdin was closed, and again after SIGTERM.
    ChildProcessOptions& grace(Duration each) {
        grace_ = each;
        return *this;
    }
    ChildProcessOptions& stream(StreamOptions const& options) {
        stream_ = options;
        return *this;
    }
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
    Duration grace() const noexcept { return grace_; }
    StreamOptions const& stream() const noexcept { return stream_; }
    TimeSource& time() const noexcept { return *time_; }

private:
    std::vector<std::string> arguments_;
    std::optional<std::string> working_directory_;
    std::vector<std::pair<std::string, std::string>> variables_;
    bool inherit_environment_ = true;
    std::function<void(std::string_view)> on_stderr_;
    Duration grace_ = std::chrono::seconds(2);
    StreamOptions stream_;
    TimeSource* time_ = &real_time();
};

/// Starts the program anew for every connection. Closing a connection closes the child's stdin; a
/// child that does not exit gets SIGTERM, then SIGKILL, with everything in its process group.
/// Transport::closed() completes when it is reaped.
std::unique_ptr<Connector> child_process(ChildProcessOptions options);
/// The program and its arguments, with the defaults for all else.
template <class... Arguments>
std::unique_ptr<Connector> child_process(std::string program, Arguments... arguments) {
    std::vector<std::string> all;
    all.reserve(sizeof...(arguments) + 1);
    all.push_back(std::move(program));
    (all.push_back(std::string(std::move(arguments))), ...);
    return child_process(ChildProcessOptions(std::move(all)));
}

}  // namespace lanyard
