// Event: lets coroutines of one executor wait until something has happened.
#pragma once

#include <memory>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/task.hpp"

namespace lanyard::runtime {

/// For operations of Asio that a coroutine awaits: unlike asio::use_awaitable it makes no second
/// coroutine, so that there is no frame to allocate. The result is a tuple that begins with the
/// error code.
inline constexpr auto without_frame = boost::asio::as_tuple(boost::asio::deferred);

/// Wakes up all who wait. Nothing is remembered: a waiter checks what it waits for around wait().
class Event {
public:
    explicit Event(boost::asio::any_io_executor executor)
        : timer_(std::move(executor), boost::asio::steady_timer::time_point::max()) {}

    /// To be awaited at once; completes after the next notify(). Not a coroutine, so that it needs
    /// no frame. Cancellation: total; the next co_await throws operation_aborted.
    auto wait() { return timer_.async_wait(without_frame); }

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
