#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "peer/list_changed.hpp"
#include "peer/notification_queue.hpp"
#include "unit/peer/fakes.hpp"

namespace lanyard::rpc {
namespace {

using namespace test;

TEST(NotificationQueue, returns_items_in_order_and_one_at_a_time) {
    NotificationQueue<int> queue(1'000);
    EXPECT_FALSE(queue.start());
    for (int i = 0; i < 10; ++i) queue.push(i);
    EXPECT_EQ(queue.start(), 0);
    EXPECT_FALSE(queue.start()) << "one is being handled";
    for (int i = 1; i < 10; ++i) {
        queue.finished();
        EXPECT_EQ(queue.start(), i);
    }
    queue.finished();
    EXPECT_FALSE(queue.start());
    EXPECT_FALSE(queue.running());
}

TEST(NotificationQueue, drops_the_oldest_if_it_is_full) {
    NotificationQueue<int> queue(1'000);
    for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(queue.push_or_replace(i));
    EXPECT_TRUE(queue.is_full());
    EXPECT_FALSE(queue.push_or_replace(1'000));
    EXPECT_FALSE(queue.push_or_replace(1'001));
    EXPECT_EQ(queue.waiting(), 1'000U);
    queue.push(1'002);
    EXPECT_EQ(queue.waiting(), 1'001U);
    EXPECT_EQ(queue.start(), 2);
}

TEST(NotificationQueue, keeps_its_order_when_it_grows_after_wrapping_around) {
    NotificationQueue<int> queue(1'000);
    for (int i = 0; i < 3; ++i) queue.push(i);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(queue.start(), i);
        queue.finished();
    }
    for (int i = 3; i < 20; ++i) queue.push(i);
    for (int i = 2; i < 20; ++i) {
        EXPECT_EQ(queue.start(), i);
        queue.finished();
    }
}

TEST(NotificationQueue, does_not_keep_items_that_it_has_returned) {
    NotificationQueue<std::shared_ptr<int>> queue(1);
    auto item = std::make_shared<int>(1);
    std::weak_ptr<int> const watch = item;
    queue.push(std::move(item));
    queue.start();
    EXPECT_TRUE(watch.expired());
}

TEST(ListChanged, the_first_change_is_announced_at_once_and_the_rest_once_per_interval) {
    ListChanged changes;
    EXPECT_TRUE(changes.changed(NotifiedList::tools, at(0ms)));
    EXPECT_EQ(changes.next_due(), never);
    EXPECT_FALSE(changes.changed(NotifiedList::tools, at(1ms)));
    EXPECT_FALSE(changes.changed(NotifiedList::tools, at(50ms)));
    EXPECT_EQ(changes.next_due(), at(100ms));
    EXPECT_FALSE(changes.take_due(at(99ms)));
    EXPECT_EQ(changes.take_due(at(100ms)), NotifiedList::tools);
    EXPECT_FALSE(changes.take_due(at(100ms)));
    EXPECT_FALSE(changes.changed(NotifiedList::tools, at(199ms)));
    EXPECT_EQ(changes.take_due(at(250ms)), NotifiedList::tools);
    EXPECT_TRUE(changes.changed(NotifiedList::tools, at(350ms)));
}

TEST(ListChanged, kinds_are_independent) {
    ListChanged changes;
    for (auto kind : {NotifiedList::tools, NotifiedList::resources, NotifiedList::prompts,
                      NotifiedList::roots}) {
        EXPECT_TRUE(changes.changed(kind, at(0ms)));
    }
    EXPECT_FALSE(changes.changed(NotifiedList::prompts, at(1ms)));
    EXPECT_FALSE(changes.changed(NotifiedList::resources, at(2ms)));
    EXPECT_EQ(changes.take_due(at(100ms)), NotifiedList::resources);
    EXPECT_EQ(changes.take_due(at(100ms)), NotifiedList::prompts);
    EXPECT_FALSE(changes.take_due(at(100ms)));
    EXPECT_EQ(list_changed_method(NotifiedList::tools), "notifications/tools/list_changed");
    EXPECT_EQ(list_changed_method(NotifiedList::roots), "notifications/roots/list_changed");
}

TEST(ListChanged, a_change_before_a_late_timer_is_announced_together_with_held_ones) {
    ListChanged changes;
    EXPECT_TRUE(changes.changed(NotifiedList::tools, at(0ms)));
    EXPECT_FALSE(changes.changed(NotifiedList::tools, at(10ms)));
    EXPECT_TRUE(changes.changed(NotifiedList::tools, at(120ms)));
    EXPECT_EQ(changes.next_due(), never);
}

}  // namespace
}  // namespace lanyard::rpc
