// UTF-8, Punycode and the code point tables.
#include "schema/regex/unicode.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "schema/format/idna_tables.hpp"
#include "schema/format/punycode.hpp"

namespace lanyard::schema {
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

TEST(Unicode, recognizes_characters_of_identifiers) {
    for (char32_t const c : {U'a', U'\u00e9', U'\u2160', U'\u2118', U'\u309b'}) {
        EXPECT_TRUE(is_id_start(c));
        EXPECT_TRUE(is_id_continue(c));
    }
    for (char32_t const c : {U'0', U'_', U'\u0301', U'\u00b7', U'\u1369'}) {
        EXPECT_FALSE(is_id_start(c));
        EXPECT_TRUE(is_id_continue(c));
    }
    for (char32_t const c : {U'-', U' ', U'\u2e2f', U'\u2603'}) {
        EXPECT_FALSE(is_id_start(c));
        EXPECT_FALSE(is_id_continue(c));
    }
}

}  // namespace
}  // namespace lanyard::schema
