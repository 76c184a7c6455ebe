// The decisions about a loop, in virtual time: when it is taken over, measured or ignored.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/loop_watch.hpp"

namespace lanyard::runtime {
namespace {

using namespace std::chrono_literals;
using Action = LoopWatch::Action;

TEST(LoopToken, only_one_of_two_threads_gets_the_loop) {
    LoopToken token;
    auto const first = token.enter();
    EXPECT_TRUE(LoopToken::in_user_code(first));
    EXPECT_TRUE(token.leave(first));
    EXPECT_FALSE(token.take(first));

    auto const second = token.enter();
    EXPECT_TRUE(token.take(second));
    EXPECT_FALSE(token.leave(second));
    EXPECT_FALSE(LoopToken::in_user_code(token.read()));
}

TEST(LoopToken, a_thread_that_lost_the_loop_cannot_leave_the_user_code_of_another) {
    LoopToken token;
    auto const blocked = token.enter();
    ASSERT_TRUE(token.take(blocked));
    auto const other = token.enter();
    EXPECT_FALSE(token.leave(blocked));
    EXPECT_TRUE(token.leave(other));
}

TEST(LoopWatch, takes_over_a_call_that_is_seen_twice) {
    LoopToken token;
    LoopWatch watch;
    watch.look(token.read());
    token.enter();
    EXPECT_NE(watch.look(token.read()), Action::take_over);
    EXPECT_EQ(watch.look(token.read()), Action::take_over);
}

TEST(LoopWatch, does_not_take_over_quick_calls) {
    LoopToken token;
    LoopWatch watch;
    for (int i = 0; i < 1000; ++i) {
        for (int call = 0; call < 100; ++call) token.leave(token.enter());
        auto const entered = token.enter();
        EXPECT_EQ(watch.look(token.read()), Action::wait);
        token.leave(entered);
    }
}

TEST(LoopWatch, suspects_the_loop_if_few_calls_fill_the_interval) {
    LoopToken token;
    LoopWatch watch;
    watch.look(token.read());
    token.leave(token.enter());
    token.enter();
    EXPECT_EQ(watch.look(token.read()), Action::suspect);
}

TEST(LoopWatch, sleeps_when_nothing_happens_and_not_before) {
    LoopToken token;
    LoopWatch watch;
    token.leave(token.enter());
    EXPECT_EQ(watch.look(token.read()), Action::wait);
    for (unsigned i = 1; i < LoopWatch::idle_looks; ++i) {
        EXPECT_EQ(watch.look(token.read()), Action::wait);
    }
    EXPECT_EQ(watch.look(token.read()), Action::sleep);
}

// One loop with a queue of calls, and its watch, in virtual time. Each call takes a given time;
// after a take-over the loop continues with the next call.
class SimulatedLoop {
public:
    explicit SimulatedLoop(Duration phase) : next_look_(phase) {}

    // Returns the time at which the loop can run the next call.
    Duration run(Duration takes) {
        auto const entered = token_.enter();
        auto const end = now_ + takes;
        while (next_look_ < end) {
            now_ = next_look_;
            next_look_ += LoopWatch::interval;
            if (watch_.look(token_.read()) == Action::take_over) {
                EXPECT_TRUE(token_.take(entered));
                return now_;
            }
        }
        now_ = end;
        EXPECT_TRUE(token_.leave(entered));
        return now_;
    }
    Duration now() const { return now_; }

private:
    LoopToken token_;
    LoopWatch watch_;
    Duration now_{0};
    Duration next_look_;
};

TEST(LoopWatch, no_call_blocks_the_loop_for_more_than_twenty_milliseconds) {
    for (auto phase = Duration(0); phase < LoopWatch::interval; phase += 50us) {
        for (auto const takes : std::vector<Duration>{1us, 1ms, 3ms, 5ms, 9ms, 100ms, 1h}) {
            SimulatedLoop loop(phase);
            for (int i = 0; i < 1000; ++i) loop.run(2us);
            auto const begun = loop.now();
            EXPECT_LE(loop.run(takes) - begun, 20ms);
        }
    }
}

}  // namespace
}  // namespace lanyard::runtime
