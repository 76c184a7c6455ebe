#include "base/rate_limiter.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/backoff.hpp"
#include "base/restart_intensity.hpp"
#include "unit/peer/fakes.hpp"

namespace lanyard::rpc {
namespace {

using namespace test;

TEST(TokenBucket, admits_the_burst_and_then_the_rate) {
    TokenBucket bucket({10, 3});
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(at(0s)));
    EXPECT_FALSE(bucket.take(at(0s)));
    EXPECT_EQ(bucket.wait(at(0s)), 100ms);
    EXPECT_FALSE(bucket.take(at(99ms)));
    EXPECT_TRUE(bucket.take(at(100ms)));
    EXPECT_FALSE(bucket.take(at(100ms)));
    EXPECT_EQ(bucket.wait(at(100ms), 3), 300ms);
    EXPECT_EQ(bucket.full_at(), at(400ms));
    EXPECT_TRUE(bucket.take(at(400ms), 3));
}

TEST(TokenBucket, never_grants_more_than_its_burst_at_once) {
    TokenBucket bucket({10, 3});
    EXPECT_FALSE(bucket.take(at(1h), 4));
    EXPECT_EQ(bucket.wait(at(1h), 4), no_limit);
    EXPECT_TRUE(bucket.take(at(1h), 0));
    TokenBucket closed({10, 0});
    EXPECT_FALSE(closed.take(at(1h)));
}

TEST(TokenBucket, a_clock_that_steps_back_grants_nothing_extra) {
    TokenBucket bucket({1, 1});
    EXPECT_TRUE(bucket.take(at(10s)));
    EXPECT_FALSE(bucket.take(at(9s)));
    EXPECT_TRUE(bucket.take(at(11s)));
}

TEST(TokenBucket, zero_negative_and_infinite_rates_are_harmless) {
    for (double rate : {0.0, -1.0, static_cast<double>(NAN), 1e-300}) {
        TokenBucket bucket({rate, 1});
        EXPECT_TRUE(bucket.take(at(0s))) << rate;
        EXPECT_FALSE(bucket.take(at(24h * 365))) << rate;
    }
    for (double rate : {1e30, static_cast<double>(HUGE_VAL)}) {
        TokenBucket bucket({rate, 1});
        EXPECT_TRUE(bucket.take(at(0s))) << rate;
        EXPECT_TRUE(bucket.take(at(1ns))) << rate;
    }
    TokenBucket deep({1e-9, 0xffffffff});
    EXPECT_TRUE(deep.take(at(0s)));
    EXPECT_TRUE(deep.take(at(0s), 5));
}

TEST(KeyedRateLimiter, keys_have_their_own_buckets) {
    KeyedRateLimiter limiter({.rate = {1, 1}});
    EXPECT_TRUE(limiter.take("a", at(0s)));
    EXPECT_FALSE(limiter.take("a", at(0s)));
    EXPECT_FALSE(limiter.take("a", at(999ms)));
    EXPECT_TRUE(limiter.take("b", at(0s)));
    EXPECT_TRUE(limiter.take("a", at(1s)));
    EXPECT_EQ(limiter.keys(), 2U);
}

TEST(KeyedRateLimiter, a_full_bucket_makes_room_and_a_used_one_does_not) {
    KeyedRateLimiter limiter({.rate = {1, 2}, .max_keys = 2});
    EXPECT_TRUE(limiter.take("a", at(0s)));     // full again at 1 s
    EXPECT_TRUE(limiter.take("b", at(0s), 2));  // full again at 2 s
    EXPECT_FALSE(limiter.take("c", at(0s)));
    EXPECT_TRUE(limiter.take("c", at(1s), 2));  // replaces a, full again at 3 s
    EXPECT_FALSE(limiter.take("a", at(1s)));
    EXPECT_TRUE(limiter.take("b", at(2s))) << "b was not touched";
    EXPECT_EQ(limiter.keys(), 2U);
    EXPECT_TRUE(limiter.take("d", at(3s)));
}

TEST(KeyedRateLimiter, stays_within_its_number_of_keys) {
    KeyedRateLimiter limiter({.rate = {1000, 1}, .max_keys = 100});
    for (int i = 0; i < 5'000; ++i) {
        EXPECT_TRUE(limiter.take("key" + std::to_string(i), at(i * 1ms)));
        ASSERT_LE(limiter.keys(), 100U);
    }
}

TEST(Backoff, doubles_from_one_second_to_thirty) {
    FixedRandom middle(0.5);
    Backoff backoff;
    for (auto expected : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
        EXPECT_EQ(backoff.next(middle), expected);
    }
    EXPECT_EQ(backoff.retries(), 7U);
    backoff.reset();
    EXPECT_EQ(backoff.next(middle), 1s);
}

TEST(Backoff, is_spread_by_a_fifth) {
    FixedRandom low(0);
    FixedRandom high(1 - 0x1.0p-53);
    EXPECT_EQ(Backoff().next(low), 800ms);
    auto const longest = Backoff().next(high);
    EXPECT_GT(longest, 1199ms);
    EXPECT_LE(longest, 1200ms);
    EXPECT_EQ(Backoff().longest_wait(), 36s);
}

TEST(Backoff, can_be_limited) {
    FixedRandom middle(0.5);
    BackoffOptions options;
    options.max_retries = 2;
    Backoff backoff(options);
    EXPECT_TRUE(backoff.next(middle));
    EXPECT_TRUE(backoff.next(middle));
    EXPECT_FALSE(backoff.next(middle));
    backoff.reset();
    EXPECT_TRUE(backoff.next(middle));
}

TEST(Backoff, a_first_wait_above_the_longest_is_cut) {
    FixedRandom middle(0.5);
    BackoffOptions options;
    options.first = 1min;
    EXPECT_EQ(Backoff(options).next(middle), 30s);
}

TEST(Backoff, a_busy_transport_is_tried_three_times_in_all) {
    FixedRandom low(0);
    FixedRandom middle(0.5);
    Backoff backoff(busy_backoff(2, 10ms));
    EXPECT_EQ(backoff.next(low), 5ms);
    EXPECT_EQ(backoff.next(middle), 10ms);
    EXPECT_FALSE(backoff.next(middle));
    EXPECT_EQ(backoff.longest_wait(), 15ms);
}

TEST(RestartIntensity, allows_five_restarts_in_thirty_seconds) {
    RestartIntensity intensity;
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(intensity.restart(at(1s * i)));
    EXPECT_FALSE(intensity.restart(at(5s)));
    EXPECT_FALSE(intensity.restart(at(30s) - 1ns));
    EXPECT_TRUE(intensity.restart(at(30s))) << "the first is out of the window";
    EXPECT_FALSE(intensity.restart(at(30s)));
    EXPECT_TRUE(intensity.restart(at(10min)));
}

}  // namespace
}  // namespace lanyard::rpc
