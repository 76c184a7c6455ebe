#include "roots.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>

namespace lanyard::app {

namespace asio = boost::asio;

std::vector<Root> Roots::answer() {
    asked_ = true;
    if (changed_) changed_->cancel();
    return roots_;
}

Task<> Roots::await_read(TimeSource& time) {
    if (!asked_) {
        auto const executor = co_await asio::this_coro::executor;
        changed_ =
            std::make_unique<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
        auto const deadline = time.now() + roots_request_wait;
        auto const wake = [this] { changed_->cancel(); };
        auto const alarm = time.make_alarm(executor, wake);
        alarm->set(deadline);
        while (!asked_ && time.now() < deadline) {
            co_await changed_->async_wait(asio::as_tuple(asio::deferred));
        }
        if (!asked_) co_return;
    }
    co_await sleep_for(time, roots_applied_wait);
}

}  // namespace lanyard::app
