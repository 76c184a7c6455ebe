// Hexadecimal text and comparison in constant time.
#include "crypto/bytes.hpp"

#include <gtest/gtest.h>

namespace lanyard::crypto {
namespace {

TEST(Hex, round_trips_every_byte) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    EXPECT_EQ(from_hex(to_hex(bytes)).value(), bytes);
}

TEST(Hex, writes_lower_case_and_reads_both) {
    EXPECT_EQ(to_hex("\x01\xab\xff"), "01abff");
    EXPECT_EQ(from_hex("aBfF09").value(), "\xab\xff\x09");
    EXPECT_EQ(from_hex("").value(), "");
}

TEST(Hex, errors_name_the_character_and_its_place) {
    EXPECT_EQ(from_hex("abc").error().message, "odd number of hexadecimal digits");
    EXPECT_EQ(from_hex("00g0").error().message, "not a hexadecimal digit at byte 2");
    EXPECT_EQ(from_hex("000/").error().message, "not a hexadecimal digit at byte 3");
    for (char const c : {'/', ':', '@', 'G', '`', 'g', ' ', '\0', '\x80'}) {
        EXPECT_FALSE(from_hex(std::string{c, '0'})) << int{c};
    }
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
