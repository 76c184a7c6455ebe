#include <chrono>

#include <gtest/gtest.h>

#include "base/deadline.hpp"
#include "peer/progress.hpp"

namespace lanyard::rpc {
namespace {

TimePoint at(int number) {
    return TimePoint{} + std::chrono::seconds(number);
}

TEST(HeldProgressTest, the_next_time_is_the_earliest_of_all_requests) {
    HeldProgress<int> held;
    EXPECT_EQ(held.next_due(at), never);
    held.add(7);
    held.add(3);
    EXPECT_EQ(held.next_due(at), at(3));
    held.remove(3);
    EXPECT_EQ(held.next_due(at), at(7));
    held.clear();
    EXPECT_EQ(held.next_due(at), never);
}

TEST(HeldProgressTest, a_request_is_kept_once_until_it_has_no_held_update) {
    HeldProgress<int> held;
    held.add(1);
    held.add(1);
    int sent = 0;
    held.send_due([&](int number) {
        ++sent;
        return at(number);
    });
    EXPECT_EQ(sent, 1);
    held.send_due([&](int) {
        ++sent;
        return never;
    });
    EXPECT_EQ(sent, 2);
    held.send_due([&](int) {
        ++sent;
        return never;
    });
    EXPECT_EQ(sent, 2) << "a request without a held update is removed";
}

}  // namespace
}  // namespace lanyard::rpc
