// SignalWatch: handles signals in a server program.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

namespace lanyard::runtime {

/// While an object of this class lives:
///
/// - The first SIGINT or SIGTERM calls `stop` on the executor. The second such signal ends the
///   process directly in the signal handler, with the exit status 128 + the signal's number, even
///   if the executor's thread is blocked or a lock is held.
/// - SIGHUP calls `hang_up` on the executor, each time, unless the program was started with SIGHUP
///   ignored (nohup).
/// - SIGPIPE is ignored: writing to a closed pipe fails with an error instead.
///
/// The destructor of the last object restores the previous handling of these signals. If several
/// objects exist, a signal calls the functions of each.
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
