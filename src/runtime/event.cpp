#include "runtime/event.hpp"

#include "lanyard/time_source.hpp"

namespace lanyard::runtime {

namespace {

template <class E>
Task<> wait_with_alarm(E& event, TimeSource& time, TimePoint deadline) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const alarm = time.make_alarm(executor, [&event] { event.notify(); });
    alarm->set(deadline);
    co_await event.wait();
}

}  // namespace

Task<> Event::wait_until(TimeSource& time, TimePoint deadline) {
    return wait_with_alarm(*this, time, deadline);
}

Task<> RareEvent::wait() {
    auto const executor = co_await boost::asio::this_coro::executor;
    if (!event_) event_ = std::make_unique<Event>(executor);
    co_await event_->wait();
}

Task<> RareEvent::wait_until(TimeSource& time, TimePoint deadline) {
    return wait_with_alarm(*this, time, deadline);
}

}  // namespace lanyard::runtime
