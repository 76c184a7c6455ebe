// Properties of code points.
#include "schema/regex/unicode.hpp"

#include <gtest/gtest.h>

namespace lanyard::schema {
namespace {

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
