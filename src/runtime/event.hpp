// Event: lets coroutines of one executor wait for a notification.
#pragma once

#include <memory>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/clock.hpp"
#include "lanyard/task.hpp"

namespace lanyard {
class TimeSource;
}  // namespace lanyard

namespace lanyard::runtime {

/// Completion token for Asio operations that a coroutine awaits. Unlike asio::use_awaitable it
/// creates no second coroutine, so no coroutine frame is allocated. The result is a tuple that
/// starts with the error code.
inline constexpr auto without_frame = boost::asio::as_tuple(boost::asio::deferred);

/// notify() wakes all coroutines that are waiting. The event does not store notifications, so a
/// coroutine must check its condition before and after wait().
class Event {
public:
    explicit Event(boost::asio::any_io_executor const& executor)
        : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

    /// Completes after the next notify(). Must be awaited immediately. wait() is not a coroutine,
    /// so it needs no coroutine frame. If the waiting coroutine is cancelled (with any cancellation
    /// type), wait() completes, and the next co_await of the coroutine throws operation_aborted.
    auto wait() { return timer_.async_wait(without_frame); }

    /// Same as wait(), but at the deadline all waiting coroutines are woken, as by notify().
    Task<> wait_until(TimeSource& time, TimePoint deadline);

    void notify() { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;  // never expires; cancelling it wakes the waiters
};

/// An Event for waits that are rare: it allocates nothing until the first wait().
class RareEvent {
public:
    Task<> wait();
    Task<> wait_until(TimeSource& time, TimePoint deadline);

    void notify() {
        if (event_) event_->notify();
    }

private:
    std::unique_ptr<Event> event_;
};

}  // namespace lanyard::runtime
