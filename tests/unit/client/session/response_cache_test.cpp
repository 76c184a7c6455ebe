// Which results the cache of a client drops.
#include "client/session/response_cache.hpp"

#include <gtest/gtest.h>

namespace lanyard::client {
namespace {

using namespace std::chrono_literals;

TEST(ResponseCache, the_least_recently_used_entry_is_dropped_first) {
    ResponseCache cache(2'000);
    TimePoint const now(1h);
    CacheHint const hint{1s, CacheScope::public_};
    for (auto const* which : {"a", "b"}) cache.store<int>("m", which, 1, hint, 500, now);
    EXPECT_NE(cache.find<int>("m", "a", now), nullptr);
    cache.store<int>("m", "c", 1, hint, 500, now);
    EXPECT_NE(cache.find<int>("m", "a", now), nullptr);
    EXPECT_EQ(cache.find<int>("m", "b", now), nullptr);
    EXPECT_EQ(cache.size(), 2U);
    EXPECT_LE(cache.bytes(), 2'000U);
    cache.store<int>("m", "huge", 1, hint, 3'000, now);
    EXPECT_EQ(cache.size(), 2U);
    cache.store<int>("m", "a", 2, hint, 10, now);
    EXPECT_EQ(*cache.find<int>("m", "a", now), 2);
    EXPECT_EQ(cache.size(), 2U);
    cache.invalidate("m", "none");
    EXPECT_EQ(cache.size(), 2U);
    cache.invalidate("other");
    EXPECT_EQ(cache.size(), 2U);
    cache.invalidate("m");
    EXPECT_EQ(cache.size(), 0U);
    EXPECT_EQ(cache.bytes(), 0U);
}

}  // namespace
}  // namespace lanyard::client
