#include "server/inline_timer.hpp"

#include <gtest/gtest.h>

#include <boost/asio/any_io_executor.hpp>

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

// Counts how often it is looked at.
class CountingTime final : public TimeSource {
public:
    TimePoint now() const noexcept override {
        ++looks;
        return at;
    }
    WallTime wall() const noexcept override { return {}; }
    std::unique_ptr<Alarm> make_alarm(boost::asio::any_io_executor,
                                      std::function<void()>) override {
        return nullptr;
    }

    TimePoint at{1h};
    mutable int looks = 0;
};

class InlineTimerTest : public ::testing::Test {
protected:
    // Takes messages whose handlers take so long; tells which are known to have been too slow.
    std::vector<bool> take(std::vector<Duration> const& handlers) {
        timer.begin(time.at, handlers.size() == 1);
        std::vector<bool> too_long;
        for (auto const taken : handlers) {
            time.at += taken;
            too_long.push_back(timer.ran_too_long());
        }
        timer.end();
        return too_long;
    }
    using Verdicts = std::vector<bool>;

    CountingTime time;
    InlineTimer timer{time};
};

TEST_F(InlineTimerTest, the_handler_of_a_single_message_is_timed) {
    EXPECT_EQ(take({1ms}), Verdicts{false});
    EXPECT_EQ(take({1001us}), Verdicts{true});
    EXPECT_EQ(time.looks, 2);
}

TEST_F(InlineTimerTest, quick_handlers_cost_one_look_together) {
    EXPECT_EQ(take({10us, 20us, 30us, 40us}), Verdicts(4, false));
    EXPECT_EQ(take({10us, 20us, 30us, 40us}), Verdicts(4, false));
    EXPECT_EQ(time.looks, 2);
}

TEST_F(InlineTimerTest, a_slow_one_among_several_is_found_the_next_time) {
    EXPECT_EQ(take({10us, 2ms, 10us}), Verdicts(3, false));
    EXPECT_EQ(take({10us, 2ms, 10us}), (Verdicts{false, true, false}));
    EXPECT_EQ(take({10us, 10us}), Verdicts(2, false));
    time.looks = 0;
    EXPECT_EQ(take({10us, 10us}), Verdicts(2, false));
    EXPECT_EQ(time.looks, 1);
}

TEST_F(InlineTimerTest, where_no_handler_runs_nobody_looks_at_the_clock) {
    timer.begin(time.at, false);
    timer.end();
    EXPECT_EQ(time.looks, 0);
}

// Several requests may have come at the same time and be handed over one by one.
TEST_F(InlineTimerTest, a_handler_does_not_pay_for_those_before_it) {
    auto const received = time.at;
    timer.begin(received, true);
    time.at += 5ms;
    EXPECT_TRUE(timer.ran_too_long());
    timer.begin(received, true);
    time.at += 1us;
    EXPECT_FALSE(timer.ran_too_long());
}

}  // namespace
}  // namespace lanyard::server
