#include "roots.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>

namespace lanyard::app {

namespace asio = boost::asio;

/// Lets a pointer refer to a timer until the end of the block.
class Roots::Registration {
public:
    Registration(asio::steady_timer*& pointer, asio::steady_timer& timer) noexcept
        : pointer_(pointer) {
        pointer_ = &timer;
    }
    ~Registration() { pointer_ = nullptr; }
    Registration(Registration const&) = delete;
    Registration& operator=(Registration const&) = delete;

private:
    asio::steady_timer*& pointer_;
};

std::vector<Root> Roots::answer() {
    asked_ = true;
    if (changed_ != nullptr) changed_->cancel();
    return roots_;
}

Task<> Roots::await_read(TimeSource& time) {
    if (!asked_) {
        auto const executor = co_await asio::this_coro::executor;
        // The timer is part of the coroutine, because it must not outlive the executor's context.
        asio::steady_timer changed(executor, asio::steady_timer::time_point::max());
        Registration const registration(changed_, changed);
        auto const deadline = time.now() + roots_request_wait;
        auto const wake = [&changed] { changed.cancel(); };
        auto const alarm = time.make_alarm(executor, wake);
        alarm->set(deadline);
        while (!asked_ && time.now() < deadline) {
            co_await changed.async_wait(asio::as_tuple(asio::deferred));
        }
        if (!asked_) co_return;
    }
    co_await sleep_for(time, roots_applied_wait);
}

}  // namespace lanyard::app
