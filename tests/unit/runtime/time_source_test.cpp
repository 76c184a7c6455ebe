#include "lanyard/time_source.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/error.hpp"
#include "lanyard/testing/fake_time.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

TEST(FakeTime, rings_in_order_when_time_is_moved) {
    boost::asio::io_context context;
    testing::FakeTime time;
    auto const start = time.now();
    std::string rung;
    auto const late = time.make_alarm(context.get_executor(), [&] { rung += "late "; });
    auto const early = time.make_alarm(context.get_executor(), [&] { rung += "early "; });
    late->set(start + 10s);
    early->set(start + 5s);
    EXPECT_EQ(time.next_alarm(), start + 5s);
    time.advance(4s);
    context.poll();
    EXPECT_EQ(rung, "");
    time.advance(20s);
    context.restart();
    context.poll();
    EXPECT_EQ(rung, "early late ");
    EXPECT_EQ(time.next_alarm(), TimePoint::max());
    EXPECT_EQ(time.wall() - WallTime(std::chrono::hours(24 * 365 * 50)), 24s);
}

TEST(FakeTime, an_alarm_that_was_set_again_or_destroyed_does_not_ring) {
    boost::asio::io_context context;
    testing::FakeTime time;
    int rung = 0;
    auto alarm = time.make_alarm(context.get_executor(), [&] { ++rung; });
    alarm->set(time.now());
    alarm->set(time.now() + 1s);
    context.poll();
    EXPECT_EQ(rung, 0);
    time.advance(1s);
    alarm->set(TimePoint::max());
    context.restart();
    context.poll();
    EXPECT_EQ(rung, 0);
    alarm->set(time.now() + 1s);
    time.advance(1s);
    alarm.reset();
    context.restart();
    context.poll();
    EXPECT_EQ(rung, 0);
}

TEST(RealTime, rings_once_at_the_moment_set_last) {
    boost::asio::io_context context;
    int rung = 0;
    auto const alarm = real_time().make_alarm(context.get_executor(), [&] { ++rung; });
    alarm->set(real_time().now() + 1h);
    alarm->set(real_time().now());
    context.run();
    EXPECT_EQ(rung, 1);
    alarm->set(real_time().now() + 1h);
    alarm->set(TimePoint::max());
    context.restart();
    context.run();
    EXPECT_EQ(rung, 1);
    auto gone = real_time().make_alarm(context.get_executor(), [&] { ++rung; });
    gone->set(real_time().now());
    gone.reset();
    context.restart();
    context.run();
    EXPECT_EQ(rung, 1);
    EXPECT_GT(real_time().wall().time_since_epoch(), 0ms);
}

TEST(SleepUntil, completes_when_the_moment_has_come) {
    boost::asio::io_context context;
    testing::FakeTime time;
    bool done = false;
    auto const sleeper = [&]() -> Task<> {
        co_await sleep_until(time, time.now() + 3s);
        done = true;
    };
    boost::asio::co_spawn(context, sleeper(), boost::asio::detached);
    context.poll();
    time.advance(2s);
    context.poll();
    EXPECT_FALSE(done);
    time.advance(1s);
    context.poll();
    EXPECT_TRUE(done);
}

TEST(SleepFor, completes_when_the_time_has_passed) {
    boost::asio::io_context context;
    testing::FakeTime time;
    bool done = false;
    auto const sleeper = [&]() -> Task<> {
        co_await sleep_for(time, 3s);
        done = true;
    };
    boost::asio::co_spawn(context, sleeper(), boost::asio::detached);
    context.poll();
    time.advance(2s);
    context.poll();
    EXPECT_FALSE(done);
    time.advance(1s);
    context.poll();
    EXPECT_TRUE(done);
}

TEST(SleepFor, counts_from_the_call) {
    boost::asio::io_context context;
    testing::FakeTime time;
    bool done = false;
    auto sleep = sleep_for(time, 3s);
    time.advance(3s);
    boost::asio::co_spawn(context, std::move(sleep), [&](std::exception_ptr) { done = true; });
    context.poll();
    EXPECT_TRUE(done);
}

TEST(SleepFor, never_completes_after_the_longest_duration) {
    boost::asio::io_context context;
    testing::FakeTime time;
    time.advance(1h);
    bool done = false;
    boost::asio::co_spawn(context, sleep_for(time, Duration::max()),
                          [&](std::exception_ptr) { done = true; });
    context.poll();
    time.advance(1000h);
    context.poll();
    EXPECT_FALSE(done);
}

TEST(SleepFor, uses_the_real_time_by_default) {
    boost::asio::io_context context;
    auto const begin = real_time().now();
    boost::asio::co_spawn(context, sleep_for(1ms), boost::asio::detached);
    context.run();
    EXPECT_GE(real_time().now() - begin, 1ms);
}

Task<> succeed() {
    co_return;
}
Task<> fail() {
    throw Error(Errc::closed, "gone");
    co_return;
}
Task<> fail_oddly() {
    throw 1;
    co_return;
}
Task<int> seven() {
    co_return 7;
}

TEST(Run, returns_the_exit_code_of_a_program) {
    EXPECT_EQ(run(succeed()), 0);
    EXPECT_EQ(run(seven()), 7);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(fail()), 1);
    EXPECT_EQ(run(fail_oddly()), 1);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "error: closed: gone\nerror: an exception of an unknown type\n");
}

}  // namespace
}  // namespace lanyard
