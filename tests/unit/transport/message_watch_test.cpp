// The time limit for a message that arrives in pieces, in virtual time.
#include "transport/message_watch.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "lanyard/testing/fake_time.hpp"

namespace lanyard::transport {
namespace {

using namespace std::chrono_literals;

class MessageWatchTest : public ::testing::Test {
protected:
    void receive(std::size_t bytes, bool is_new = false) {
        watch.begin(context.get_executor(), bytes, is_new, [this] {
            ++rung;
            watch.expire(latest, waits);
        });
        latest = bytes;
    }
    void advance(Duration by) {
        time.advance(by);
        context.restart();
        context.poll();
    }

    testing::FakeTime time;
    boost::asio::io_context context;
    MessageWatch watch{time, 30s};
    std::size_t latest = 0;
    bool waits = false;
    int rung = 0;
};

TEST_F(MessageWatchTest, a_message_may_take_as_long_as_the_limit) {
    receive(100);
    advance(30s - 1ns);
    EXPECT_FALSE(watch.is_late());
    advance(1ns);
    EXPECT_TRUE(watch.is_late());
}

TEST_F(MessageWatchTest, a_few_more_bytes_do_not_extend_the_time) {
    for (std::size_t second = 0; second < 30; ++second) {
        receive(1 + second);
        EXPECT_FALSE(watch.is_late());
        advance(1s);
    }
    EXPECT_TRUE(watch.is_late());
}

TEST_F(MessageWatchTest, received_bytes_extend_the_time) {
    receive(100);
    for (std::size_t second = 1; second <= 100; ++second) {
        receive(second * 16 * 1024);
        advance(1s);
        ASSERT_FALSE(watch.is_late()) << second;
    }
    advance(30s - 1ns);
    EXPECT_FALSE(watch.is_late());
    advance(1ns);
    EXPECT_TRUE(watch.is_late());
}

TEST_F(MessageWatchTest, each_message_has_its_own_time) {
    receive(100);
    advance(20s);
    receive(100, true);
    advance(30s - 1ns);
    EXPECT_FALSE(watch.is_late());
    watch.end();
    advance(1h);
    EXPECT_FALSE(watch.is_late());
    receive(100);
    advance(30s - 1ns);
    EXPECT_FALSE(watch.is_late());
    advance(1ns);
    EXPECT_TRUE(watch.is_late());
}

TEST_F(MessageWatchTest, a_message_gets_more_time_while_received_bytes_wait_to_be_read) {
    waits = true;
    receive(100);
    advance(30s);
    advance(1s);
    EXPECT_EQ(rung, 2);
    EXPECT_FALSE(watch.is_late());
    waits = false;
    advance(1s);
    EXPECT_TRUE(watch.is_late());
}

TEST_F(MessageWatchTest, messages_that_arrive_in_time_ring_one_alarm_per_limit) {
    for (int i = 0; i < 60; ++i) {
        receive(100);
        watch.end();
        advance(1s);
    }
    EXPECT_LE(rung, 2);
    advance(1h);
    EXPECT_EQ(time.next_alarm(), TimePoint::max());
}

TEST_F(MessageWatchTest, no_alarm_is_set_without_a_limit) {
    MessageWatch unlimited(time, Duration::max());
    unlimited.begin(context.get_executor(), 100, true, [] {});
    EXPECT_EQ(time.next_alarm(), TimePoint::max());
}

}  // namespace
}  // namespace lanyard::transport
