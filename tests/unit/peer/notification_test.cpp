#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "peer/list_changed.hpp"
#include "peer/notification_handlers.hpp"
#include "peer/notification_queue.hpp"
#include "unit/peer/fakes.hpp"

namespace lanyard::rpc {
namespace {

using namespace test;

TEST(NotificationQueue, returns_items_in_order_and_one_at_a_time) {
    NotificationQueue<int> queue;
    EXPECT_FALSE(queue.start());
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(queue.push(i));
    EXPECT_EQ(queue.start(), 0);
    EXPECT_FALSE(queue.start()) << "one is being handled";
    for (int i = 1; i < 10; ++i) {
        queue.finished();
        EXPECT_EQ(queue.start(), i);
    }
    queue.finished();
    EXPECT_FALSE(queue.start());
    EXPECT_EQ(queue.running(), 0U);
    EXPECT_EQ(queue.dropped(), 0U);
}

TEST(NotificationQueue, drops_and_counts_the_oldest_if_it_is_full) {
    NotificationQueue<int> queue;
    for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(queue.push(i));
    EXPECT_FALSE(queue.push(1'000));
    EXPECT_FALSE(queue.push(1'001));
    EXPECT_EQ(queue.waiting(), 1'000U);
    EXPECT_EQ(queue.dropped(), 2U);
    EXPECT_EQ(queue.start(), 2);
}

TEST(NotificationQueue, handles_several_at_a_time_by_option) {
    NotificationQueue<int> queue({.capacity = 3, .concurrency = 2});
    for (int i = 0; i < 3; ++i) queue.push(i);
    EXPECT_EQ(queue.start(), 0);
    EXPECT_EQ(queue.start(), 1);
    EXPECT_FALSE(queue.start());
    queue.finished();
    EXPECT_EQ(queue.start(), 2);
}

TEST(NotificationQueue, keeps_its_order_when_it_grows_after_wrapping_around) {
    NotificationQueue<int> queue;
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
    NotificationQueue<std::shared_ptr<int>> queue;
    auto item = std::make_shared<int>(1);
    std::weak_ptr<int> const watch = item;
    queue.push(std::move(item));
    queue.start();
    EXPECT_TRUE(watch.expired());
}

TEST(NotificationHandlers, handlers_of_the_method_are_called_before_wildcards) {
    NotificationHandlers<int> handlers;
    std::string log;
    handlers.on_any(
        [&](std::string_view method, int) { log += "any:" + std::string(method) + " "; });
    handlers.on("a", [&](std::string_view, int n) { log += "a" + std::to_string(n) + " "; });
    handlers.on("a", [&](std::string_view, int) { log += "a' "; });
    handlers.on("b", [&](std::string_view, int) { log += "b "; });
    EXPECT_EQ(handlers.dispatch("a", 5).called, 3U);
    EXPECT_EQ(handlers.dispatch("c", 5).called, 1U);
    EXPECT_EQ(log, "a5 a' any:a any:c ");
}

TEST(NotificationHandlers, an_exception_of_a_handler_is_reported_and_does_no_harm) {
    NotificationHandlers<int> handlers;
    int calls = 0;
    handlers.on("a", [](std::string_view, int) { throw std::runtime_error("boom"); });
    handlers.on("a", [](std::string_view, int n) { throw n; });
    handlers.on("a", [&](std::string_view, int) { ++calls; });
    auto const report = handlers.dispatch("a", 1);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(report.called, 3U);
    EXPECT_EQ(report.failed, 2U);
    EXPECT_EQ(report.first_failure, "boom");

    NotificationHandlers<int> odd;
    odd.on_any([](std::string_view, int n) { throw n; });
    EXPECT_EQ(odd.dispatch("a", 1).first_failure, "an exception of unknown type");
    EXPECT_EQ(odd.dispatch("a", 1).failed, 1U);
}

TEST(NotificationHandlers, can_be_removed) {
    NotificationHandlers<int> handlers;
    auto const a = handlers.on("a", [](std::string_view, int) {});
    auto const b = handlers.on("b", [](std::string_view, int) {});
    auto const c = handlers.on("b", [](std::string_view, int) {});
    auto const any = handlers.on_any([](std::string_view, int) {});
    EXPECT_TRUE(handlers.remove(a));
    EXPECT_FALSE(handlers.remove(a));
    EXPECT_TRUE(handlers.remove(b));
    EXPECT_TRUE(handlers.remove(any));
    EXPECT_EQ(handlers.dispatch("a", 0).called, 0U);
    EXPECT_EQ(handlers.dispatch("b", 0).called, 1U);
    EXPECT_TRUE(handlers.remove(c));
    EXPECT_EQ(handlers.dispatch("b", 0).called, 0U);
}

TEST(NotificationHandlers, may_change_the_table_while_they_run) {
    NotificationHandlers<int> handlers;
    int late = 0;
    NotificationHandlers<int>::HandlerId self = 0;
    self = handlers.on("a", [&](std::string_view, int) {
        EXPECT_TRUE(handlers.remove(self));
        for (int i = 0; i < 100; ++i) {
            handlers.on("a", [&](std::string_view, int) { ++late; });
            handlers.on("other" + std::to_string(i), [](std::string_view, int) {});
        }
    });
    EXPECT_EQ(handlers.dispatch("a", 0).called, 1U);
    EXPECT_EQ(late, 0);
    EXPECT_EQ(handlers.dispatch("a", 0).called, 100U);
    EXPECT_EQ(late, 100);
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
