// TimeSource: a clock with alarms, so that tests and the simulator can control time.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include <lanyard/clock.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// Calls a function once, at the time to which the alarm was set. All member functions of an alarm
/// must be called on one executor.
class Alarm {
public:
    virtual ~Alarm() = default;
    /// Replaces the time that was set before; TimePoint::max() means never.
    virtual void set(TimePoint when) = 0;
};

/// A clock that provides alarms. Thread-safe.
class TimeSource : public Clock {
public:
    /// Creates an alarm that calls `ring` on the executor. After the alarm has been destroyed,
    /// `ring` is not called any more.
    virtual std::unique_ptr<Alarm> make_alarm(boost::asio::any_io_executor executor,
                                              std::function<void()> ring) = 0;
};

/// The system's time.
TimeSource& real_time() noexcept;

/// Completes at the given time. Supports Asio cancellation of type `total`.
Task<> sleep_until(TimeSource& time, TimePoint when);
/// Completes when this much time has passed since the call; never if the duration is
/// Duration::max(). Supports Asio cancellation of type `total`.
Task<> sleep_for(TimeSource& time, Duration duration);
/// Same as sleep_for() with real_time().
Task<> sleep_for(Duration duration);

}  // namespace lanyard
