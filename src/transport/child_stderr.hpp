// ChildStderr: passes on the text that a child process writes to its stderr.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "runtime/user_calls.hpp"

namespace lanyard::transport {

/// Passes the text to a sink or, without one, line by line to the stderr of this process. Writing
/// to stderr never blocks. A sink may block if a runtime::Loop runs the executor. Exceptions of the
/// sink are ignored. Keeps the end of the text.
class ChildStderr {
public:
    using Sink = std::function<void(std::string_view)>;

    ChildStderr(boost::asio::any_io_executor const& executor, Sink sink);
    ChildStderr(ChildStderr const&) = delete;
    ChildStderr& operator=(ChildStderr const&) = delete;
    ~ChildStderr();

    void take(std::string_view text);
    /// Must be called after the last text: passes on a last line without a line end.
    void end();

    /// Whether all calls of the sink have returned.
    bool passed_on() const { return !queue_ || queue_->idle(); }
    /// Sets the function that is called on the executor when passed_on() becomes true.
    void on_passed_on(std::function<void()> function);
    /// The last bytes of the text.
    std::string_view tail() const noexcept { return tail_; }

private:
    void print_lines(std::string_view text);
    void print_line();

    std::shared_ptr<Sink> sink_;  // null if the text goes to the stderr of this process
    std::shared_ptr<runtime::UserCalls> queue_;  // null if the sink is called directly
    std::string line_;  // the beginning of a line that has not arrived completely
    std::string tail_;
};

}  // namespace lanyard::transport
