// cancelled_by(): a completion handler for co_spawn() that lets a signal cancel the coroutine.
#pragma once

#include <type_traits>
#include <utility>

#include <boost/asio/cancellation_signal.hpp>

namespace lanyard::runtime {

/// A completion handler with a cancellation slot.
template <class Handler>
class CancelledBy {
public:
    using cancellation_slot_type = boost::asio::cancellation_slot;

    CancelledBy(boost::asio::cancellation_slot slot, Handler handler)
        : slot_(slot), handler_(std::move(handler)) {}

    boost::asio::cancellation_slot get_cancellation_slot() const noexcept { return slot_; }

    template <class... Args>
    void operator()(Args&&... args) {
        handler_(std::forward<Args>(args)...);
    }

private:
    boost::asio::cancellation_slot slot_;
    Handler handler_;
};

/// Returns `handler` with the slot, for boost::asio::co_spawn(). Emitting the signal of the slot
/// cancels the coroutine immediately. The signal must be emitted on the executor of the coroutine,
/// after the coroutine has started. If the signal is emitted earlier, co_spawn() never calls the
/// handler.
///
/// With asio::bind_cancellation_slot() instead, co_spawn() dispatches the cancellation to the
/// executor. On an executor that never runs a function at once, the coroutine may end and destroy
/// the signal before the dispatched function uses it.
template <class Handler>
CancelledBy<std::decay_t<Handler>> cancelled_by(boost::asio::cancellation_slot slot,
                                                Handler&& handler) {
    return {slot, std::forward<Handler>(handler)};
}

}  // namespace lanyard::runtime
