// The choice of a connection for each call.
#include "http/client/call_pool.hpp"

#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

TEST(CallPool, opens_a_connection_for_the_first_call_and_keeps_it_for_the_next) {
    CallPool pool;
    EXPECT_TRUE(pool.submit(1, SlotKind::call, false));
    auto const first = pool.next();
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->open);
    EXPECT_FALSE(pool.next());
    EXPECT_TRUE(pool.on_free(first->link));
    pool.submit(2, SlotKind::message, false);
    auto const second = pool.next();
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->open);
    EXPECT_EQ(second->link, first->link);
}

TEST(CallPool, opens_another_connection_on_request_or_if_all_are_in_use) {
    CallPool pool;
    pool.submit(1, SlotKind::call, false);
    auto const first = pool.next();
    pool.submit(2, SlotKind::call, false);
    auto const second = pool.next();
    EXPECT_TRUE(second->open);
    EXPECT_NE(second->link, first->link);
    pool.on_free(first->link);
    pool.submit(3, SlotKind::call, true);
    EXPECT_TRUE(pool.next()->open);
    EXPECT_EQ(pool.links(), 3U);
}

TEST(CallPool, queues_calls_beyond_the_limit_and_refuses_them_beyond_that) {
    CallPool pool({.calls = 2, .messages = 1, .queued = 1, .idle = 2});
    for (CallId id = 1; id <= 2; ++id) {
        EXPECT_TRUE(pool.submit(id, SlotKind::call, false));
        EXPECT_TRUE(pool.next());
    }
    EXPECT_TRUE(pool.submit(3, SlotKind::call, false));
    EXPECT_FALSE(pool.next());
    EXPECT_FALSE(pool.submit(4, SlotKind::call, false));
    EXPECT_EQ(pool.queued(), 1U);
    pool.on_gone(1);
    EXPECT_EQ(pool.next()->call, 3U);
}

TEST(CallPool, a_stream_releases_its_place_for_the_next_call) {
    CallPool pool({.calls = 1, .messages = 1, .queued = 10, .idle = 1});
    pool.submit(1, SlotKind::call, false);
    auto const first = pool.next();
    pool.submit(2, SlotKind::call, false);
    EXPECT_FALSE(pool.next());
    pool.on_stream(1);
    pool.on_stream(1);
    auto const second = pool.next();
    ASSERT_TRUE(second);
    pool.submit(3, SlotKind::call, false);
    EXPECT_FALSE(pool.next());
    EXPECT_TRUE(pool.on_free(first->link)) << "its place is not given away twice";
    EXPECT_FALSE(pool.next());
    pool.on_gone(second->link);
    EXPECT_EQ(pool.next()->link, first->link);
    pool.on_stream(99);
}

TEST(CallPool, messages_and_streams_do_not_wait_for_calls) {
    CallPool pool({.calls = 1, .messages = 1, .queued = 10, .idle = 1});
    for (CallId id = 1; id <= 2; ++id) pool.submit(id, SlotKind::call, false);
    for (CallId id = 3; id <= 4; ++id) pool.submit(id, SlotKind::message, false);
    for (CallId id = 5; id <= 7; ++id) pool.submit(id, SlotKind::stream, false);
    std::vector<CallId> made;
    while (auto const next = pool.next()) made.push_back(next->call);
    EXPECT_EQ(made, (std::vector<CallId>{3, 5, 6, 7, 1}));
}

TEST(CallPool, limits_the_number_of_idle_connections) {
    CallPool pool({.calls = 3, .messages = 1, .queued = 10, .idle = 1});
    for (CallId id = 1; id <= 2; ++id) pool.submit(id, SlotKind::call, false);
    auto const first = pool.next();
    auto const second = pool.next();
    EXPECT_TRUE(pool.on_free(first->link));
    EXPECT_FALSE(pool.on_free(second->link));
    EXPECT_EQ(pool.links(), 1U);
    EXPECT_FALSE(pool.on_free(second->link));
    pool.on_gone(second->link);
}

TEST(CallPool, cancelling_a_call_closes_its_connection) {
    CallPool pool({.calls = 1, .messages = 1, .queued = 10, .idle = 1});
    pool.submit(1, SlotKind::call, false);
    auto const first = pool.next();
    pool.submit(2, SlotKind::call, false);
    EXPECT_FALSE(pool.withdraw(2)) << "it was not on its way";
    EXPECT_EQ(pool.withdraw(1), first->link);
    EXPECT_FALSE(pool.withdraw(1));
    EXPECT_EQ(pool.links(), 0U);
    EXPECT_EQ(pool.queued(), 0U);
    EXPECT_FALSE(pool.next());
    pool.submit(3, SlotKind::call, false);
    EXPECT_TRUE(pool.next());
}

TEST(CallPool, queued_calls_are_cancelled_in_constant_time) {
    CallPool pool({.calls = 1, .messages = 1, .queued = 10, .idle = 1});
    constexpr CallId count = 300'000;
    for (CallId id = 1; id <= count; ++id) pool.submit(id, SlotKind::message, false);
    auto const first = pool.next();
    // From the end: if withdraw() searched the queue, this would take minutes.
    for (CallId id = count; id > 2; --id) EXPECT_FALSE(pool.withdraw(id));
    EXPECT_EQ(pool.queued(), 1U);
    EXPECT_FALSE(pool.withdraw(count)) << "it is not there any more";
    EXPECT_EQ(pool.queued(), 1U);
    pool.on_free(first->link);
    EXPECT_EQ(pool.next()->call, 2U);
    EXPECT_FALSE(pool.next());
}

TEST(CallPool, a_message_answered_by_a_stream_keeps_its_place) {
    CallPool pool({.calls = 1, .messages = 1, .queued = 10, .idle = 1});
    pool.submit(1, SlotKind::message, false);
    pool.submit(2, SlotKind::message, false);
    auto const first = pool.next();
    pool.on_stream(1);
    EXPECT_FALSE(pool.next());
    pool.on_gone(first->link);
    EXPECT_EQ(pool.next()->call, 2U);
}

TEST(CallPool, an_idle_connection_that_ends_is_removed) {
    CallPool pool;
    pool.submit(1, SlotKind::call, false);
    auto const first = pool.next();
    pool.on_free(first->link);
    pool.on_gone(first->link);
    pool.submit(2, SlotKind::call, false);
    EXPECT_TRUE(pool.next()->open);
}

}  // namespace
}  // namespace lanyard::http
