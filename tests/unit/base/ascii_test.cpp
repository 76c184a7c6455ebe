#include "base/ascii.hpp"

#include <gtest/gtest.h>

namespace lanyard {
namespace {

// The same classes for char, which may be negative, and for code points.
TEST(AsciiTest, no_character_outside_of_ascii_belongs_to_a_class) {
    for (int c = 0; c < 256; ++c) {
        auto const narrow = static_cast<char>(c);
        auto const wide = static_cast<char32_t>(c);
        EXPECT_EQ(ascii::is_digit(narrow), ascii::is_digit(wide)) << c;
        EXPECT_EQ(ascii::is_letter(narrow), ascii::is_letter(wide)) << c;
        EXPECT_EQ(ascii::hex_value(narrow), ascii::hex_value(wide)) << c;
        EXPECT_TRUE(c < 128 || !ascii::is_alphanumeric(wide)) << c;
    }
    EXPECT_FALSE(ascii::is_letter(U'\u0141'));  // the low byte is the code of 'A'
}

TEST(AsciiTest, hexadecimal_digits_have_values_in_both_cases) {
    EXPECT_EQ(ascii::hex_value('0'), 0);
    EXPECT_EQ(ascii::hex_value('9'), 9);
    EXPECT_EQ(ascii::hex_value('a'), 10);
    EXPECT_EQ(ascii::hex_value('F'), 15);
    EXPECT_EQ(ascii::hex_value('g'), -1);
    EXPECT_EQ(ascii::hex_value('@'), -1);
    EXPECT_FALSE(ascii::is_hex_digit('/'));
}

TEST(AsciiTest, only_upper_case_letters_are_changed_to_lower_case) {
    EXPECT_EQ(ascii::to_lower('A'), 'a');
    EXPECT_EQ(ascii::to_lower('z'), 'z');
    EXPECT_EQ(ascii::to_lower('['), '[');
}

}  // namespace
}  // namespace lanyard
