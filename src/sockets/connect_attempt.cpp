#include "sockets/connect_attempt.hpp"

#include <boost/asio/this_coro.hpp>

#include "base/deadline.hpp"
#include "lanyard/error.hpp"

namespace lanyard::sockets {

Task<std::unique_ptr<Transport>> ConnectAttempt::run(Task<std::unique_ptr<Transport>> opening,
                                                     TimeSource& time, Duration timeout,
                                                     std::string target) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const alarm = time.make_alarm(executor, [this] { give_up(); });
    alarm->set(after(time.now(), timeout));
    std::unique_ptr<Transport> opened;
    try {
        opened = co_await std::move(opening);
    } catch (Error const&) {
        if (!given_up_) throw;
    }
    if (given_up_) throw Error(Errc::unavailable, "no connection to " + target + " in time");
    co_return opened;
}

void ConnectAttempt::give_up() {
    given_up_ = true;
    if (abort_) abort_();
}

}  // namespace lanyard::sockets
