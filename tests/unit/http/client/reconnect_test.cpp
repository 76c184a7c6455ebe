// The waits before a client reconnects a stream.
#include "http/client/reconnect.hpp"

#include <gtest/gtest.h>

#include "unit/peer/fakes.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;

// No jitter: always the middle of the range.
rpc::test::FixedRandom random_middle(0.5);

TEST(Reconnect, waits_five_seconds_if_the_server_sends_no_retry) {
    Reconnect reconnect;
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 5s);
}

TEST(Rule, H17_a_client_waits_as_long_as_the_servers_retry) {
    Reconnect reconnect;
    reconnect.on_retry(500ms);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 500ms);
        reconnect.on_event();
    }
    reconnect.on_retry(2h);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 2h);
}

TEST(Reconnect, a_retry_of_zero_causes_no_busy_loop) {
    Reconnect reconnect;
    reconnect.on_retry(0ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), Reconnect::shortest);
}

TEST(Reconnect, a_hundred_streams_may_end_at_once_before_the_waits_grow) {
    Reconnect reconnect;
    reconnect.on_retry(0ms);
    TimePoint now{};
    auto const next = [&](Duration open_for) {
        reconnect.on_open(now);
        reconnect.on_event();
        now += open_for;
        return reconnect.on_end(now, random_middle);
    };
    for (int i = 0; i < 100; ++i) EXPECT_EQ(next(999ms), 100ms) << i;
    for (auto const more : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
        EXPECT_EQ(next(0ms), 100ms + more);
    }
    // A stream that stayed open long enough resets the waits.
    EXPECT_EQ(next(1s), 100ms);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(next(0ms), 100ms) << i;
    EXPECT_EQ(next(0ms), 200ms);
}

TEST(Reconnect, waits_grow_without_events) {
    RetryPolicy options;
    options.backoff.jitter = 0;
    options.backoff.max_retries = 4;
    Reconnect reconnect(options);
    reconnect.on_retry(100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 1100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 2100ms);
    reconnect.on_event();
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 1100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 2100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 4100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), 8100ms);
    EXPECT_EQ(reconnect.on_end(TimePoint(), random_middle), std::nullopt);
}

TEST(Reconnect, jitter_never_makes_a_wait_shorter_than_retry) {
    Reconnect reconnect;
    reconnect.on_retry(3s);
    for (int i = 0; i < 5; ++i) EXPECT_GE(reconnect.on_end(TimePoint(), system_random()), 3s);
}

TEST(Reconnect, requests_never_sent_are_tried_three_more_times) {
    Backoff backoff(unsent_backoff());
    for (auto const wait : {1s, 2s, 4s}) {
        auto const next = backoff.next(random_middle);
        ASSERT_TRUE(next);
        EXPECT_NEAR(std::chrono::duration<double>(*next).count(), static_cast<double>(wait.count()),
                    static_cast<double>(wait.count()) * 0.2);
    }
    EXPECT_EQ(backoff.next(random_middle), std::nullopt);
}

}  // namespace
}  // namespace lanyard::http
