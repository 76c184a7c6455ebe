// FakeTime: time that moves only when a test says so.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include <lanyard/time_source.hpp>

namespace lanyard::testing {

/// Stands still until advance() is called, which rings the alarms that have become due, earliest
/// first. Ringing posts to the alarm's executor: run it afterwards. Safe to use from any thread.
class FakeTime final : public TimeSource {
public:
    explicit FakeTime(TimePoint start = TimePoint(std::chrono::hours(1)),
                      WallTime wall = WallTime(std::chrono::hours(24 * 365 * 50)));
    ~FakeTime() override;

    TimePoint now() const noexcept override;
    WallTime wall() const noexcept override;
    std::unique_ptr<Alarm> make_alarm(boost::asio::any_io_executor executor,
                                      std::function<void()> ring) override;

    void advance(Duration by);
    /// When the next alarm is due; TimePoint::max() where none is set.
    TimePoint next_alarm() const;

private:
    struct State;
    class FakeAlarm;
    std::shared_ptr<State> state_;
};

}  // namespace lanyard::testing
