// ConnectAttempt: opens one connection, with a timeout.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "lanyard/clock.hpp"
#include "lanyard/task.hpp"
#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"

namespace lanyard::sockets {

/// Can be used for one connection and on one executor only. Must live until run() has completed.
class ConnectAttempt {
public:
    /// Awaits the task, which opens the connection. When the timeout has passed, aborts the current
    /// step of the task and throws Error (unavailable), whose message names `target`.
    Task<std::unique_ptr<Transport>> run(Task<std::unique_ptr<Transport>> opening, TimeSource& time,
                                         Duration timeout, std::string target);

    // Called only by the task that run() awaits.

    /// Sets the function that aborts the current step, in place of the function for the previous
    /// step. Objects to which the function refers must live until the task ends.
    void on_give_up(std::function<void()> abort) { abort_ = std::move(abort); }
    /// Whether the timeout has passed.
    bool given_up() const noexcept { return given_up_; }

private:
    void give_up();

    std::function<void()> abort_;
    bool given_up_ = false;
};

}  // namespace lanyard::sockets
