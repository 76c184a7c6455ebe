// SignalWatch: what signals do to a program that serves.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

namespace lanyard::runtime {

/// While it lives:
///
/// - The first SIGINT or SIGTERM calls `stop` on the executor. The second ends the process with the
///   exit status 128 + its number, in the signal's handler: whatever the executor's thread does,
///   and whoever holds a lock.
/// - SIGHUP calls `hang_up` on the executor, each time, unless the program was started with SIGHUP
///   ignored (nohup).
/// - SIGPIPE is ignored: a reader that has gone shows as a failed write.
///
/// What was set for these signals before comes back at the end. Several may live at a time; each is
/// told.
class SignalWatch {
public:
    struct Handlers {
        std::function<void()> stop;
        std::function<void()> hang_up;
    };

    SignalWatch(boost::asio::any_io_executor const& executor, Handlers handlers);
    ~SignalWatch();
    SignalWatch(SignalWatch const&) = delete;
    SignalWatch& operator=(SignalWatch const&) = delete;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace lanyard::runtime
