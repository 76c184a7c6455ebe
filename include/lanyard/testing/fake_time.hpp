// FakeTime: time that advances only when a test calls advance().
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include <lanyard/time_source.hpp>

namespace lanyard::testing {

/// Time stands still until advance() is called. advance() rings the alarms that have become due,
/// earliest first: it posts the function of each alarm to the executor of the alarm. The test must
/// run this executor afterwards. Thread-safe.
class FakeTime final : public TimeSource {
public:
    explicit FakeTime(TimePoint start = TimePoint(std::chrono::hours(1)),
                      WallTime wall = WallTime(std::chrono::hours(24 * 365 * 50)));
    ~FakeTime() override;

    TimePoint now() const noexcept override;
    WallTime wall() const noexcept override;
    std::unique_ptr<Alarm> make_alarm(boost::asio::any_io_executor executor,
                                      std::function<void()> ring) override;

    /// Advances the time and rings the alarms that become due.
    void advance(Duration by);
    /// The time of the next alarm; TimePoint::max() if none is set.
    TimePoint next_alarm() const;

private:
    struct State;
    class FakeAlarm;
    std::shared_ptr<State> state_;
};

}  // namespace lanyard::testing
