#include "base/byte_budget.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(ByteBudget, shares_may_grow_to_the_limit_together) {
    ByteBudget budget(100);
    BudgetShare one(&budget, 0);
    BudgetShare two(&budget, 0);
    EXPECT_TRUE(one.resize(60));
    EXPECT_TRUE(two.allows(40));
    EXPECT_FALSE(two.allows(41));
    EXPECT_TRUE(two.resize(40));
    EXPECT_EQ(budget.used(), 100U);
    EXPECT_FALSE(two.resize(41));
    EXPECT_EQ(two.counted(), 40U);
    EXPECT_EQ(budget.used(), 100U);
    EXPECT_EQ(budget.refused(), 1U);
    // What a share has itself does not count against it.
    EXPECT_TRUE(one.allows(60));
    EXPECT_TRUE(one.resize(50));
    EXPECT_TRUE(two.resize(50));
}

TEST(ByteBudget, small_amounts_do_not_count) {
    ByteBudget budget(100);
    BudgetShare large(&budget, 10);
    BudgetShare small(&budget, 10);
    EXPECT_TRUE(large.resize(100));
    EXPECT_TRUE(small.resize(10));
    EXPECT_EQ(budget.used(), 100U);
    EXPECT_FALSE(small.resize(11));
    large.set(10);
    EXPECT_EQ(budget.used(), 0U);
    EXPECT_TRUE(small.resize(11));
    EXPECT_EQ(budget.used(), 11U);
}

TEST(ByteBudget, set_is_not_limited) {
    ByteBudget budget(100);
    BudgetShare share(&budget, 0);
    share.set(150);
    EXPECT_EQ(budget.used(), 150U);
    EXPECT_FALSE(share.allows(101));
    // A share may always shrink.
    EXPECT_TRUE(share.resize(120));
    EXPECT_EQ(budget.used(), 120U);
    EXPECT_EQ(budget.refused(), 0U);
}

TEST(ByteBudget, shares_return_their_bytes_when_they_are_destroyed) {
    ByteBudget budget(100);
    {
        BudgetShare first(&budget, 0);
        first.set(70);
        BudgetShare const second(std::move(first));
        EXPECT_EQ(budget.used(), 70U);
        EXPECT_EQ(second.counted(), 70U);
    }
    EXPECT_EQ(budget.used(), 0U);
}

TEST(ByteBudget, a_share_without_a_budget_has_no_limit) {
    BudgetShare share;
    EXPECT_TRUE(share.allows(SIZE_MAX));
    EXPECT_TRUE(share.resize(SIZE_MAX));
    EXPECT_EQ(share.counted(), 0U);
}

TEST(ByteBudget, several_threads_share_a_budget) {
    ByteBudget budget(1'000);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&budget] {
            for (int round = 0; round < 10'000; ++round) {
                BudgetShare share(&budget, 0);
                share.resize(400);
                share.resize(100);
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace lanyard
