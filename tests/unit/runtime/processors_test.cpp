#include "runtime/processors.hpp"

#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <sched.h>

namespace lanyard::runtime {
namespace {

TEST(Processors, of_a_quota_are_rounded_up) {
    EXPECT_EQ(processors_of_quota("100000 100000"), 1U);
    EXPECT_EQ(processors_of_quota("150000 100000"), 2U);
    EXPECT_EQ(processors_of_quota("400000 100000"), 4U);
    EXPECT_EQ(processors_of_quota("5000 100000"), 1U);
}

TEST(Processors, are_not_limited_without_a_quota) {
    for (auto const* const text : {"max 100000", "", "100000", "100000 0", "100000 x", "-1 5"}) {
        EXPECT_EQ(processors_of_quota(text), SIZE_MAX) << text;
    }
}

TEST(Processors, follow_the_affinity) {
    EXPECT_GE(available_processors(), 1U);
    // The affinity of a thread of its own is changed, so that other tests are not affected.
    std::thread([] {
        cpu_set_t before;
        ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
        int first = 0;
        while (!CPU_ISSET(first, &before)) ++first;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        EXPECT_EQ(available_processors(), 1U);
    }).join();
}

}  // namespace
}  // namespace lanyard::runtime
