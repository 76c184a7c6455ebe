// TimeSource: the clock together with alarms, so that tests and the simulator can move time by
// hand.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include <lanyard/clock.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// Rings once at the moment it was set to. Used on one executor.
class Alarm {
public:
    virtual ~Alarm() = default;
    /// Replaces the moment set before; TimePoint::max() means never.
    virtual void set(TimePoint when) = 0;
};

/// A clock that can wake up whoever waits. Safe to call from any thread.
class TimeSource : public Clock {
public:
    /// An alarm that calls `ring` on the executor. It does not ring after it was destroyed.
    virtual std::unique_ptr<Alarm> make_alarm(boost::asio::any_io_executor executor,
                                              std::function<void()> ring) = 0;
};

/// The machine's time.
TimeSource& real_time() noexcept;

/// Completes at the given moment. Cancellation: total.
Task<> sleep_until(TimeSource& time, TimePoint when);

}  // namespace lanyard
