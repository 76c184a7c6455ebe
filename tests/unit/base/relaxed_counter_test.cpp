#include "base/relaxed_counter.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(RelaxedCounterTest, counts_from_zero) {
    RelaxedCounter<std::uint64_t> counter;
    EXPECT_EQ(counter.value(), 0U);
    ++counter;
    ++counter;
    counter += 40;
    EXPECT_EQ(counter.value(), 42U);
    --counter;
    EXPECT_EQ(counter.value(), 41U);
    counter.set(7);
    EXPECT_EQ(counter.value(), 7U);
}

}  // namespace
}  // namespace lanyard
