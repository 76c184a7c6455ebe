#include "lanyard/testing/fake_time.hpp"

#include <boost/asio/post.hpp>

namespace lanyard::testing {

struct FakeTime::State {
    mutable std::mutex mutex;
    TimePoint now;
    WallTime wall;
    std::multimap<TimePoint, FakeAlarm*> alarms;
};

class FakeTime::FakeAlarm final : public Alarm {
public:
    FakeAlarm(std::shared_ptr<State> state, boost::asio::any_io_executor executor,
              std::function<void()> ring)
        : state_(std::move(state)),
          executor_(std::move(executor)),
          ring_(std::make_shared<std::function<void()>>(std::move(ring))) {}

    ~FakeAlarm() override {
        std::lock_guard const lock(state_->mutex);
        forget();
    }

    void set(TimePoint when) override {
        std::lock_guard const lock(state_->mutex);
        forget();
        ++*setting_;
        if (when == TimePoint::max()) return;
        if (when <= state_->now) {
            ring();
        } else {
            state_->alarms.emplace(when, this);
        }
    }

    // Posts the alarm's function to its executor. The mutex must be held, and state_->alarms must
    // not contain the alarm.
    void ring() {
        boost::asio::post(executor_,
                          [alive = std::weak_ptr(ring_), setting = setting_, at = *setting_] {
                              auto const ring = alive.lock();
                              // If the alarm was set again or destroyed meanwhile, its function is
                              // not called.
                              if (ring && *setting == at) (*ring)();
                          });
    }

private:
    void forget() {
        for (auto at = state_->alarms.begin(); at != state_->alarms.end(); ++at) {
            if (at->second == this) {
                state_->alarms.erase(at);
                return;
            }
        }
    }

    std::shared_ptr<State> state_;
    boost::asio::any_io_executor executor_;
    std::shared_ptr<std::function<void()>> ring_;
    std::shared_ptr<std::uint64_t> setting_ = std::make_shared<std::uint64_t>(0);
};

FakeTime::FakeTime(TimePoint start, WallTime wall) : state_(std::make_shared<State>()) {
    state_->now = start;
    state_->wall = wall;
}

FakeTime::~FakeTime() = default;

TimePoint FakeTime::now() const noexcept {
    std::lock_guard const lock(state_->mutex);
    return state_->now;
}

WallTime FakeTime::wall() const noexcept {
    std::lock_guard const lock(state_->mutex);
    return state_->wall;
}

std::unique_ptr<Alarm> FakeTime::make_alarm(boost::asio::any_io_executor executor,
                                            std::function<void()> ring) {
    return std::make_unique<FakeAlarm>(state_, std::move(executor), std::move(ring));
}

void FakeTime::advance(Duration by) {
    std::lock_guard const lock(state_->mutex);
    state_->now += by;
    state_->wall += std::chrono::duration_cast<std::chrono::milliseconds>(by);
    while (!state_->alarms.empty() && state_->alarms.begin()->first <= state_->now) {
        auto* const alarm = state_->alarms.begin()->second;
        state_->alarms.erase(state_->alarms.begin());
        alarm->ring();
    }
}

TimePoint FakeTime::next_alarm() const {
    std::lock_guard const lock(state_->mutex);
    return state_->alarms.empty() ? TimePoint::max() : state_->alarms.begin()->first;
}

}  // namespace lanyard::testing
