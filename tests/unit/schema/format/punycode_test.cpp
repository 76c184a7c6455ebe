// Punycode (RFC 3492).
#include "schema/format/punycode.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace lanyard::schema {
namespace {

LabelText label(std::u32string_view code_points) {
    LabelText text;
    for (char32_t const c : code_points) text.push_back(c);
    return text;
}

TEST(Punycode, decodes_and_encodes_the_samples_of_rfc_3492) {
    struct {
        std::u32string_view label;
        std::string_view punycode;
    } const samples[] = {
        {U"\u0644\u064a\u0647\u0645\u0627\u0628\u062a\u0643\u0644\u0645\u0648\u0634\u0639\u0631"
         U"\u0628\u064a\u061f",
         "egbpdaj6bu4bxfgehfvwxn"},
        {U"\u4ed6\u4eec\u4e3a\u4ec0\u4e48\u4e0d\u8bf4\u4e2d\u6587", "ihqwcrb4cv8a8dqg056pqjye"},
        {U"3\u5e74b\u7d44\u91d1\u516b\u5148\u751f", "3b-ww4c5e180e575a65lsy2b"},
        {U"b\u00fccher", "bcher-kva"},
        {U"\u00fc", "tda"},
    };
    for (auto const& [code_points, punycode] : samples) {
        LabelText decoded;
        ASSERT_TRUE(decode_punycode(punycode, decoded)) << punycode;
        EXPECT_TRUE(std::ranges::equal(decoded, code_points)) << punycode;
        PunycodeText encoded;
        ASSERT_TRUE(encode_punycode(label(code_points), encoded));
        EXPECT_EQ(encoded.view(), punycode);
    }
}

TEST(Punycode, refuses_invalid_text) {
    for (std::string_view const text :
         {"z", "999999", "99999999999", "a_b", "bcher-k!a", "x-ZZ", "zzzzzzzzzzzzz9",
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
        LabelText decoded;
        EXPECT_FALSE(decode_punycode(text, decoded)) << text;
    }
}

TEST(Punycode, refuses_to_encode_text_that_is_too_long_for_a_label) {
    PunycodeText text;
    EXPECT_FALSE(encode_punycode(label(std::u32string(60, U'a')), text));
    PunycodeText full;
    EXPECT_FALSE(encode_punycode(label(std::u32string(59, U'a') + U"\u00fc"), full));
    PunycodeText digits;
    EXPECT_FALSE(encode_punycode(label(std::u32string(58, U'a') + U"\u00fc"), digits));
    PunycodeText long_delta;
    EXPECT_FALSE(encode_punycode(label(std::u32string(56, U'a') + U"\U0010FFFF"), long_delta));
}

}  // namespace
}  // namespace lanyard::schema
