// UTF-8.
#include "base/utf8.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(Utf8, reads_consecutive_code_points) {
    std::string_view text = "a\u00e9\u20ac\U0001F600";
    for (char32_t const expected : {U'a', U'\u00e9', U'\u20ac', U'\U0001F600'}) {
        EXPECT_EQ(take_code_point(text), expected);
    }
    EXPECT_TRUE(text.empty());
}

TEST(Utf8, refuses_ill_formed_bytes) {
    for (std::string_view const bytes :
         {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80", "\xe2\x82",
          "\xe2(\xac", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
          "\xf5\x80\x80\x80", "\xff"}) {
        auto rest = bytes;
        EXPECT_EQ(take_code_point(rest), no_code_point);
        EXPECT_EQ(rest.size(), bytes.size() - 1);
    }
}

TEST(Utf8, code_points_round_trip) {
    for (char32_t const c :
         {U'\0', U'\x7f', U'\x80', U'\u07ff', U'\u0800', U'\uffff', U'\U00010000', U'\U0010FFFF'}) {
        std::string bytes;
        append_utf8(bytes, c);
        std::string_view rest = bytes;
        EXPECT_EQ(take_code_point(rest), c);
        EXPECT_TRUE(rest.empty());
    }
}

}  // namespace
}  // namespace lanyard
