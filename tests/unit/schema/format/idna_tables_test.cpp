// The tables of code points for internationalized host names.
#include "schema/format/idna_tables.hpp"

#include <gtest/gtest.h>

namespace lanyard::schema {
namespace {

TEST(CodePointRanges, contain_their_ends_and_nothing_outside) {
    EXPECT_TRUE(contains(viramas, 0x94D));
    EXPECT_FALSE(contains(viramas, 0x94C));
    EXPECT_FALSE(contains(viramas, 0x94E));
    EXPECT_TRUE(contains(viramas, 0x11F42));
    EXPECT_FALSE(contains(viramas, 0x11F43));
    EXPECT_TRUE(contains(right_to_left, 0x590));
    EXPECT_TRUE(contains(right_to_left, 0x8FF));
    EXPECT_FALSE(contains(right_to_left, 0x900));
}

TEST(CodePointRanges, are_in_ascending_order) {
    auto const check = [](auto const& ranges) {
        char32_t next = 0;
        for (auto const& [first, last] : ranges) {
            EXPECT_LE(next, first);
            EXPECT_LE(first, last);
            next = last + 1;
        }
    };
    check(disallowed_letters);
    check(viramas);
    check(dual_joining);
    check(left_joining);
    check(right_joining);
    check(right_to_left);
    check(neutral);
}

}  // namespace
}  // namespace lanyard::schema
