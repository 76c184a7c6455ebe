#include "base/fifo.hpp"

#include <deque>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(Fifo, elements_leave_in_the_order_of_their_arrival) {
    Fifo<std::string> queue;
    EXPECT_TRUE(queue.empty());
    queue.push_back("a");
    EXPECT_EQ(queue.emplace_back(2, 'b'), "bb");
    EXPECT_EQ(queue.size(), 2U);
    EXPECT_EQ(std::vector(queue.begin(), queue.end()), (std::vector<std::string>{"a", "bb"}));
    EXPECT_EQ(queue.front(), "a");
    queue.pop_front();
    EXPECT_EQ(queue.front(), "bb");
    queue.clear();
    EXPECT_TRUE(queue.empty());
}

TEST(Fifo, removed_elements_are_destroyed) {
    Fifo<std::shared_ptr<int>> queue;
    auto const kept = std::make_shared<int>(1);
    queue.push_back(kept);
    queue.push_back(kept);
    queue.pop_front();
    EXPECT_EQ(kept.use_count(), 2);
}

TEST(Fifo, behaves_like_a_deque_under_random_operations) {
    Fifo<int> queue;
    std::deque<int> expected;
    std::minstd_rand random(1);
    for (int i = 0; i < 20'000; ++i) {
        // The queue grows for a while, then shrinks.
        if (random() % 100 < (i / 2'000 % 2 == 0 ? 60U : 40U)) {
            queue.push_back(i);
            expected.push_back(i);
        } else if (!expected.empty()) {
            ASSERT_EQ(queue.front(), expected.front());
            queue.pop_front();
            expected.pop_front();
        }
        ASSERT_EQ(queue.size(), expected.size());
    }
    EXPECT_TRUE(std::equal(queue.begin(), queue.end(), expected.begin(), expected.end()));
}

}  // namespace
}  // namespace lanyard
