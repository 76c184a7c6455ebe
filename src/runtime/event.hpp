// Event: lets coroutines of one executor wait until something has happened.
#pragma once

#include <memory>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/task.hpp"

namespace lanyard::runtime {

/// Wakes up all who wait. Nothing is remembered: a waiter checks what it waits for around wait().
class Event {
public:
    explicit Event(boost::asio::any_io_executor executor)
        : timer_(std::move(executor), boost::asio::steady_timer::time_point::max()) {}

    /// Completes after the next notify(). Cancellation: total; throws operation_aborted.
    Task<> wait() {
        boost::system::error_code ignored;
        co_await timer_.async_wait(
            boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }

    void notify() { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;  // never expires: only cancelling it wakes its waiters
};

/// The same for what is hardly ever waited for: it takes no room until then.
class RareEvent {
public:
    Task<> wait() {
        auto const executor = co_await boost::asio::this_coro::executor;
        if (!event_) event_ = std::make_unique<Event>(executor);
        co_await event_->wait();
    }

    void notify() {
        if (event_) event_->notify();
    }

private:
    std::unique_ptr<Event> event_;
};

}  // namespace lanyard::runtime
