#include "lanyard/time_source.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/deadline.hpp"
#include "runtime/event.hpp"

namespace lanyard {

namespace {

class RealAlarm final : public Alarm {
public:
    RealAlarm(boost::asio::any_io_executor const& executor, std::function<void()> ring)
        : timer_(executor), ring_(std::make_shared<std::function<void()>>(std::move(ring))) {}

    void set(TimePoint when) override {
        if (when == when_) return;
        when_ = TimePoint::max();
        timer_.cancel();
        if (when == TimePoint::max()) return;
        timer_.expires_at(when);
        timer_.async_wait([this, alive = std::weak_ptr(ring_), when](auto const& error) {
            auto const ring = alive.lock();
            // Ignores a wait that had already completed when set() replaced it.
            if (error || !ring || when_ != when) return;
            when_ = TimePoint::max();
            (*ring)();
        });
        when_ = when;
    }

private:
    boost::asio::steady_timer timer_;
    // The function to call. A pending wait has only a weak pointer to the function, so the function
    // is not called after the alarm is destroyed.
    std::shared_ptr<std::function<void()>> ring_;
    TimePoint when_ = TimePoint::max();
};

class RealTime final : public TimeSource {
public:
    TimePoint now() const noexcept override { return std::chrono::steady_clock::now(); }
    WallTime wall() const noexcept override { return system_clock().wall(); }
    std::unique_ptr<Alarm> make_alarm(boost::asio::any_io_executor executor,
                                      std::function<void()> ring) override {
        return std::make_unique<RealAlarm>(executor, std::move(ring));
    }
};

}  // namespace

TimeSource& real_time() noexcept {
    static RealTime time;
    return time;
}

Task<> sleep_until(TimeSource& time, TimePoint when) {
    auto const executor = co_await boost::asio::this_coro::executor;
    runtime::Event rung(executor);
    while (time.now() < when) co_await rung.wait_until(time, when);
}

Task<> sleep_for(TimeSource& time, Duration duration) {
    return sleep_until(time, after(time.now(), duration));
}

Task<> sleep_for(Duration duration) {
    return sleep_for(real_time(), duration);
}

}  // namespace lanyard
