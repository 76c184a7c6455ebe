#include "base/fifo.hpp"

#include <deque>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(Fifo, what_comes_first_goes_first) {
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

TEST(Fifo, what_was_taken_is_gone) {
    Fifo<std::shared_ptr<int>> queue;
    auto const kept = std::make_shared<int>(1);
    queue.push_back(kept);
    queue.push_back(kept);
    queue.pop_front();
    EXPECT_EQ(kept.use_count(), 2);
}

TEST(Fifo, is_like_a_deque_however_it_is_used) {
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
