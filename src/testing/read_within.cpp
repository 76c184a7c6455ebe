#include "testing/read_within.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/error.hpp"

namespace lanyard::testing {

namespace {

// Awaits the task. If it takes longer than `most`, cancels it and throws Error (timeout).
template <class T>
Task<T> within(Task<T> task, Duration most, TimeSource& time) {
    auto const executor = co_await boost::asio::this_coro::executor;
    boost::asio::cancellation_signal stop;
    bool late = false;
    auto const ring = [&] {
        late = true;
        stop.emit(boost::asio::cancellation_type::all);
    };
    auto const alarm = time.make_alarm(executor, ring);
    alarm->set(time.now() + most);
    try {
        co_return co_await boost::asio::co_spawn(
            executor, std::move(task),
            boost::asio::bind_cancellation_slot(stop.slot(), boost::asio::use_awaitable));
    } catch (std::exception const&) {
        if (!late) throw;
    }
    auto const seconds = std::chrono::duration<double>(most).count();
    throw Error(Errc::timeout, "within " + std::to_string(seconds) + " s");
}

}  // namespace

Task<std::optional<std::span<rpc::Frame const>>> read_within(Transport& transport, Duration most,
                                                             TimeSource& time) {
    return within(transport.read(), most, time);
}

Task<> write_within(Transport& transport, rpc::Outbox& outbox, Duration most, TimeSource& time) {
    return within(transport.write(outbox), most, time);
}

}  // namespace lanyard::testing
