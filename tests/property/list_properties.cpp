// Lists that change while they are read page by page, and the notifications of these changes.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "peer/cursor.hpp"
#include "peer/list_changed.hpp"
#include "peer/notification_queue.hpp"
#include "property.hpp"

namespace lanyard::rpc {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start(1h);

struct Item {
    std::string name;
    int edition = 0;
};

TEST(PaginationProperty, changes_between_pages_neither_hide_nor_repeat_an_item) {
    test::check_property([] {
        std::map<std::string, int> list;
        for (auto const& name :
             *rc::gen::container<std::set<std::string>>(rc::gen::string<std::string>())) {
            list[name] = 0;
        }
        auto const page_size = static_cast<std::size_t>(*rc::gen::inRange(1, 6));
        std::set<std::string> survivors;
        for (auto const& [name, edition] : list) survivors.insert(name);
        std::vector<std::string> seen;
        std::optional<std::string> cursor;
        std::size_t pages = 0;
        do {
            std::vector<Item> items;
            for (auto const& [name, edition] : list) items.push_back({name, edition});
            auto const page = page_of("tools", items, &Item::name, cursor, page_size);
            RC_ASSERT(page.has_value());
            RC_ASSERT(page->items.size() <= page_size);
            bool const more = !page->items.empty() && page->items.back() != &items.back();
            RC_ASSERT(page->next_cursor.has_value() == more);
            for (auto const* item : page->items) seen.push_back(item->name);
            cursor = page->next_cursor;
            // Adds, removes and replaces items, up to a number of pages.
            if (++pages > 50) continue;
            for (auto const& name : *rc::gen::container<std::vector<std::string>>(
                     *rc::gen::inRange<std::size_t>(0, 4), rc::gen::string<std::string>())) {
                list[name] += 1;
            }
            if (!list.empty() && *rc::gen::inRange(0, 3) == 0) {
                auto victim = list.begin();
                std::advance(victim, *rc::gen::inRange<std::size_t>(0, list.size()));
                survivors.erase(victim->first);
                list.erase(victim);
            }
        } while (cursor);
        for (std::size_t i = 1; i < seen.size(); ++i) RC_ASSERT(seen[i - 1] < seen[i]);
        for (auto const& name : survivors) RC_ASSERT(std::ranges::count(seen, name) == 1);
    });
}

TEST(PaginationProperty, only_cursors_of_the_same_list_decode) {
    test::check_property([](std::string const& key, std::string const& junk) {
        auto const cursor = encode_cursor("tools", key);
        RC_ASSERT(decode_cursor("tools", cursor).value() == key);
        RC_ASSERT(!decode_cursor("prompts", cursor).has_value());
        RC_ASSERT(!decode_cursor("tools", junk).has_value());
        RC_ASSERT(!decode_cursor("tools", cursor + junk + "A").has_value());
    });
}

TEST(NotificationProperty, the_queue_is_a_fifo_that_may_be_bounded) {
    test::check_property([] {
        auto const capacity = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
        NotificationQueue<int> queue(capacity);
        std::deque<int> model;
        bool running = false;
        for (auto const& step : *test::scripts(4, 1'000, 0s)) {
            bool const full = model.size() >= capacity;
            RC_ASSERT(queue.is_full() == full);
            if (step.action == 0) {
                model.push_back(step.target);
                queue.push(step.target);
            } else if (step.action == 1) {
                if (full) model.pop_front();
                model.push_back(step.target);
                RC_ASSERT(queue.push_or_replace(step.target) == !full);
            } else if (step.action == 2) {
                auto const item = queue.start();
                RC_ASSERT(item.has_value() == (!model.empty() && !running));
                if (!item) continue;
                RC_ASSERT(*item == model.front());
                model.pop_front();
                running = true;
            } else {
                queue.finished();
                running = false;
            }
            RC_ASSERT(queue.waiting() == model.size());
            RC_ASSERT(queue.running() == running);
        }
    });
}

TEST(NotificationProperty, list_changed_keeps_its_interval_and_never_loses_the_last_change) {
    test::check_property([] {
        ListChanged changes;
        auto now = start;
        std::array<std::vector<TimePoint>, notified_list_count> sent;
        std::array<TimePoint, notified_list_count> last_change{};
        auto const fire_timers = [&](TimePoint until) {
            while (changes.next_due() <= until) {
                auto const due = changes.next_due();
                while (auto const kind = changes.take_due(due)) {
                    sent[static_cast<std::size_t>(*kind)].push_back(due);
                }
            }
        };
        for (auto const& step : *test::scripts(1, notified_list_count, 60ms)) {
            fire_timers(now + step.wait);
            now += step.wait;
            auto const kind = static_cast<std::size_t>(step.target);
            last_change[kind] = now;
            if (changes.changed(static_cast<NotifiedList>(kind), now)) sent[kind].push_back(now);
        }
        fire_timers(now + 1s);
        RC_ASSERT(changes.next_due() == never);
        for (std::size_t kind = 0; kind < notified_list_count; ++kind) {
            if (last_change[kind] == TimePoint{}) continue;
            RC_ASSERT(!sent[kind].empty());
            RC_ASSERT(sent[kind].back() >= last_change[kind]);
            RC_ASSERT(sent[kind].back() <= last_change[kind] + 100ms);
            for (std::size_t i = 1; i < sent[kind].size(); ++i) {
                RC_ASSERT(sent[kind][i] - sent[kind][i - 1] >= 100ms);
            }
        }
    });
}

}  // namespace
}  // namespace lanyard::rpc
