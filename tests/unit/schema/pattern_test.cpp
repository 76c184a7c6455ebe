// Patterns: the regular expressions of the JSON Schema test suite, and ECMA-262 rules by hand.
#include "schema/pattern.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include <lanyard/json.hpp>

#include "schema/ecma_regex.hpp"
#include "support/data.hpp"

namespace lanyard::schema {
namespace {

Pattern compile(std::string_view ecma) {
    auto pattern = Pattern::compile(ecma);
    if (!pattern) ADD_FAILURE() << ecma << ": " << pattern.error();
    return std::move(pattern).value();
}

bool matches(std::string_view ecma, std::string_view text) {
    return compile(ecma).matches(text);
}

std::string error_of(std::string_view ecma) {
    auto const pattern = Pattern::compile(ecma);
    return pattern ? "compiled" : pattern.error();
}

class PatternSuite : public testing::TestWithParam<char const*> {};

TEST_P(PatternSuite, RunsEveryRegexOfTheFile) {
    auto const folder = test::data_folder("json-schema-test-suite/tests/draft2020-12");
    if (!folder) LANYARD_SKIP_WITHOUT_DATA("json-schema-test-suite");
    auto const groups = json::parse(test::read_file(*folder / GetParam()));
    ASSERT_TRUE(groups) << groups.error().to_string();
    int checked = 0;
    for (auto const& group : groups->as_array()) {
        auto const& schema = group.at("schema").as_object();
        for (auto const& test : group.at("tests").as_array()) {
            auto const& data = test.at("data");
            bool const valid = test.at("valid").as_bool();
            if (auto const* ecma = schema.if_contains("pattern"); ecma && data.is_string()) {
                EXPECT_EQ(matches(ecma->as_string(), data.as_string()), valid)
                    << *ecma << " on " << data;
                ++checked;
            }
            auto const* by_pattern = schema.if_contains("patternProperties");
            if (by_pattern == nullptr || !data.is_object()) continue;
            bool const closed = schema.contains("additionalProperties");
            for (auto const& [ecma, subschema] : by_pattern->as_object()) {
                auto const pattern = compile(ecma);
                if (!closed) continue;
                for (auto const& [key, value] : data.as_object()) {
                    EXPECT_EQ(pattern.matches(key), valid) << ecma << " on " << key;
                    ++checked;
                }
            }
        }
    }
    std::cout << "COUNT: JSON Schema patterns of " << GetParam() << ' ' << checked << '\n';
}

TEST(Pattern, RefusesWhatRe2CannotRunNamingItAndItsPosition) {
    EXPECT_EQ(error_of("ab(?=c)"), "at byte 2: lookahead (?= is not supported");
    EXPECT_EQ(error_of("(?!c)"), "at byte 0: lookahead (?! is not supported");
    EXPECT_EQ(error_of("(?<=c)d"), "at byte 0: lookbehind (?<= is not supported");
    EXPECT_EQ(error_of("(?<!c)d"), "at byte 0: lookbehind (?<! is not supported");
    EXPECT_EQ(error_of("(a)\\1"), "at byte 3: backreference \\1 is not supported");
    EXPECT_EQ(error_of("(?<n>a)\\k<n>"), "at byte 7: backreference \\k<n> is not supported");
    EXPECT_EQ(error_of("a{1001}"), "at byte 1: a repetition of more than 1000 is not supported");
    EXPECT_EQ(error_of("a{0,1001}"), "at byte 1: a repetition of more than 1000 is not supported");
}

INSTANTIATE_TEST_SUITE_P(All, PatternSuite,
                         testing::Values("pattern.json", "patternProperties.json",
                                         "optional/ecmascript-regex.json",
                                         "optional/non-bmp-regex.json"));

}  // namespace
}  // namespace lanyard::schema
