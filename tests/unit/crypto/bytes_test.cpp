// Hexadecimal text and comparison in constant time.
#include "crypto/bytes.hpp"

#include <gtest/gtest.h>

namespace lanyard::crypto {
namespace {

TEST(Hex, is_written_in_lower_case) {
    EXPECT_EQ(to_hex("\x01\xab\xff"), "01abff");
    EXPECT_EQ(to_hex(""), "");
}

TEST(EqualConstantTime, compares_like_equality) {
    EXPECT_TRUE(equal_constant_time("", ""));
    EXPECT_TRUE(equal_constant_time("secret", "secret"));
    EXPECT_FALSE(equal_constant_time("secret", "secreT"));
    EXPECT_FALSE(equal_constant_time("Secret", "secret"));
    EXPECT_FALSE(equal_constant_time("secret", "secre"));
    EXPECT_FALSE(equal_constant_time("", "s"));
}

}  // namespace
}  // namespace lanyard::crypto
