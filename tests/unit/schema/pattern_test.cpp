// Patterns: the regular expressions of the JSON Schema test suite, and handwritten ECMA-262 cases.
#include "schema/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>

#include "lanyard/json.hpp"
#include "schema/regex/ecma_regex.hpp"
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

// Counts the suite's verdicts that Pattern agrees with.
struct Score {
    int passed = 0;
    int total = 0;

    void add(std::string_view ecma, std::string_view text, bool valid) {
        bool const pass = matches(ecma, text) == valid;
        EXPECT_TRUE(pass) << ecma << " on " << text;
        passed += pass;
        ++total;
    }
};

TEST(Pattern, agrees_with_the_json_schema_test_suite) {
    auto const folder = test::data_folder("json-schema-test-suite/tests/draft2020-12");
    if (!folder) LANYARD_SKIP_WITHOUT_DATA("json-schema-test-suite");
    Score score;
    for (auto const* file : {"pattern.json", "patternProperties.json",
                             "optional/ecmascript-regex.json", "optional/non-bmp-regex.json"}) {
        auto const groups = json::parse(test::read_file(*folder / file));
        ASSERT_TRUE(groups) << groups.error().to_string();
        for (auto const& group : groups->as_array()) {
            auto const& schema = group.at("schema").as_object();
            auto const* pattern = schema.if_contains("pattern");
            auto const* properties = schema.if_contains("patternProperties");
            // The verdict depends on the pattern only if other properties are forbidden.
            bool const closed = schema.contains("additionalProperties");
            for (auto const& test : group.at("tests").as_array()) {
                auto const& data = test.at("data");
                bool const valid = test.at("valid").as_bool();
                if (pattern && data.is_string()) {
                    score.add(pattern->as_string(), data.as_string(), valid);
                }
                if (!properties || !data.is_object()) continue;
                for (auto const& [ecma, subschema] : properties->as_object()) {
                    EXPECT_TRUE(Pattern::compile(ecma)) << ecma;
                    if (!closed) continue;
                    for (auto const& [key, value] : data.as_object()) score.add(ecma, key, valid);
                }
            }
        }
    }
    std::cout << "COUNT: JSON Schema patterns " << score.passed << '/' << score.total << '\n';
    EXPECT_GE(score.total, 87);
}

TEST(Pattern, searches_anywhere_unless_anchored) {
    EXPECT_TRUE(matches("b", "abc"));
    EXPECT_TRUE(matches("", ""));
    EXPECT_TRUE(matches("", "abc"));
    EXPECT_FALSE(matches("^b", "abc"));
    EXPECT_FALSE(matches("b$", "abc"));
    EXPECT_TRUE(matches("a|^c|b$", "xxb"));
}

TEST(Pattern, compares_anchored_literals_directly) {
    EXPECT_TRUE(matches("^x-", "x-custom"));
    EXPECT_FALSE(matches("^x-", "an x-custom"));
    EXPECT_TRUE(matches("\\.json$", "a.json"));
    EXPECT_FALSE(matches("\\.json$", "a.json5"));
    EXPECT_TRUE(matches("^\u00e9\\u{1F600}$", "\u00e9\U0001F600"));
    EXPECT_FALSE(matches("^abc$", "abc\n"));
    EXPECT_FALSE(matches("^abc$", "abcabc"));
    EXPECT_TRUE(matches("^", "anything"));
    EXPECT_TRUE(matches("$", "anything"));
    EXPECT_TRUE(matches("^$", ""));
    EXPECT_FALSE(matches("^$", "x"));
}

TEST(Pattern, anchors_in_the_middle_are_anchors) {
    EXPECT_FALSE(matches("a^b", "ab"));
    EXPECT_FALSE(matches("a$b", "ab"));
    EXPECT_TRUE(matches("(^a)", "ab"));
    EXPECT_TRUE(matches("(?:a$)", "ba"));
    EXPECT_TRUE(matches("^a|b$", "ac"));
}

TEST(Pattern, dot_matches_all_but_line_terminators) {
    EXPECT_TRUE(matches("^.$", "a"));
    EXPECT_TRUE(matches("^.$", "\U0001F600"));
    for (auto const* text : {"\n", "\r", "\u2028", "\u2029"}) EXPECT_FALSE(matches("^.$", text));
}

TEST(Pattern, reads_character_escapes) {
    EXPECT_TRUE(matches("^\\f\\n\\r\\t\\v$", "\f\n\r\t\v"));
    EXPECT_TRUE(matches("^\\cA\\cz$", "\x01\x1a"));
    EXPECT_TRUE(matches("^\\x41\\u0042\\u{43}\\u{1F600}$", "ABC\U0001F600"));
    EXPECT_TRUE(matches("^\\uD83D\\uDE00+$", "\U0001F600\U0001F600"));
    EXPECT_TRUE(matches("^\\0$", std::string_view("\0", 1)));
    EXPECT_TRUE(matches("^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", "^$\\.*+?()[]{}|/"));
    EXPECT_TRUE(matches("^[\\b\\-\\]\\n\\x41-\\u{43}]+$", "\b-]\nABC"));
}

TEST(Pattern, never_finds_a_lone_surrogate) {
    EXPECT_FALSE(matches("\\uD83D", "\U0001F600"));
    EXPECT_FALSE(matches("\\uD83D\\u0041", "\U0001F600A"));
    EXPECT_FALSE(matches("\\uDE00", "\U0001F600"));
    EXPECT_FALSE(matches("^\\u{D83D}\\u{DE00}$", "\U0001F600"));
    EXPECT_FALSE(matches("[\\uD800-\\uDFFF]", "\uFFFD"));
    EXPECT_TRUE(matches("^[^\\uD800-\\uDFFF]$", "\U0001F600"));
    EXPECT_TRUE(matches("^[\\uD83D\\uDE00-\\u{1F610}]$", "\U0001F601"));
}

TEST(Pattern, keeps_words_and_digits_ascii) {
    EXPECT_TRUE(matches("^\\d\\w\\D\\W$", "1_a-"));
    EXPECT_FALSE(matches("\\d", "\u0663"));
    EXPECT_FALSE(matches("\\w", "\u00e9"));
    EXPECT_TRUE(matches("^[\\d\\w]+$", "1a"));
    EXPECT_TRUE(matches("^[\\D]$", "\u0663"));
    EXPECT_TRUE(matches("^[^\\W]$", "a"));
}

TEST(Pattern, supports_ecma_white_space) {
    for (auto const* text :
         {"\t", "\n", "\v", "\f", "\r", " ", "\u00a0", "\u1680", "\u2000", "\u200a", "\u2028",
          "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"}) {
        EXPECT_TRUE(matches("^\\s$", text));
        EXPECT_FALSE(matches("\\S", text));
        EXPECT_TRUE(matches("^[\\s]$", text));
    }
    for (auto const* text : {"\b", "\u0085", "\u180e", "\u200b", "a"}) {
        EXPECT_FALSE(matches("\\s", text));
        EXPECT_TRUE(matches("^\\S$", text));
        EXPECT_TRUE(matches("^[^\\s]$", text));
    }
    EXPECT_TRUE(matches("^[^\\S\\n]$", "\t"));
    EXPECT_FALSE(matches("^[^\\S\\n]$", "\n"));
    EXPECT_TRUE(matches("^[\\s\\S]$", "\n"));
}

TEST(Pattern, finds_word_boundaries_between_characters) {
    EXPECT_TRUE(matches("\\bcat\\b", "a cat!"));
    EXPECT_FALSE(matches("\\bcat\\b", "concat"));
    EXPECT_TRUE(matches("\\Bcat", "concat"));
    // Every position is a boundary, except those between the bytes of the letter.
    EXPECT_FALSE(matches("\\B", "a\u00e9a"));
    EXPECT_TRUE(matches("\\B", "\u00e9"));
}

TEST(Pattern, reads_classes) {
    EXPECT_TRUE(matches("^[a-cx]+$", "abcx"));
    EXPECT_FALSE(matches("[^a-c]", "abc"));
    EXPECT_TRUE(matches("^[-a]+$", "a-"));
    EXPECT_TRUE(matches("^[a-]+$", "a-"));
    EXPECT_TRUE(matches("^[\\w-]+$", "a-"));
    EXPECT_TRUE(matches("^[.*+?(){}|^$]+$", ".*+?(){}|^$"));
    EXPECT_TRUE(matches("^[[]$", "["));
    EXPECT_TRUE(matches("^[&&||~~]+$", "&|~"));
    EXPECT_TRUE(matches("^[:alpha:]+$", "alph:"));
    EXPECT_FALSE(matches("[]", "a"));
    EXPECT_TRUE(matches("^[^]$", "\n"));
    EXPECT_TRUE(matches("^a[]*$", "a"));
}

TEST(Pattern, supports_unicode_properties) {
    EXPECT_TRUE(matches("^\\p{L}\\p{Letter}\\p{Lu}\\p{Lowercase_Letter}$", "\u00e9bCd"));
    EXPECT_TRUE(matches("^\\p{gc=Nd}\\p{General_Category=Decimal_Number}\\p{digit}$", "1\u06632"));
    EXPECT_TRUE(matches("^\\p{Script=Greek}\\p{sc=Grek}$", "\u03b1\u03b2"));
    EXPECT_FALSE(matches("\\p{Script=Greek}", "a"));
    EXPECT_TRUE(matches("^\\P{L}\\P{Script=Greek}$", "1a"));
    EXPECT_TRUE(matches("^[\\p{L}\\p{Nd}]+$", "a1"));
    EXPECT_TRUE(matches("^[^\\P{L}]$", "a"));
    EXPECT_TRUE(matches("^[^\\P{L}x]+$", "ab"));
    EXPECT_FALSE(matches("^[^\\P{L}x]+$", "axb"));
    EXPECT_TRUE(matches("^\\p{LC}\\P{LC}$", "a1"));
    EXPECT_TRUE(matches("^\\p{Cc}\\p{cntrl}$", "\x01\x02"));
}

TEST(Pattern, counts_unassigned_code_points_as_other) {
    EXPECT_TRUE(
        matches("^\\p{Cn}\\p{C}\\p{Unassigned}\\P{Assigned}$", "\u0378\u0378\U000E0FFF\U000E0FFF"));
    EXPECT_FALSE(matches("\\p{Cn}", "a"));
    EXPECT_TRUE(matches("^\\p{C}$", "\x01"));
    EXPECT_TRUE(matches("^\\P{C}\\P{Cn}\\p{Assigned}$", "abc"));
    EXPECT_TRUE(matches("^[a\\p{C}]+$", "a\u0378"));
    EXPECT_TRUE(matches("^[\\p{C}\\p{Cn}]+$", "\x01\u0378"));
    EXPECT_TRUE(matches("^[^\\p{C}]$", "a"));
    EXPECT_FALSE(matches("[^\\p{C}]", "\u0378"));
}

TEST(Pattern, supports_binary_properties) {
    EXPECT_TRUE(matches("^\\p{Alphabetic}\\p{Alpha}\\p{Alphabetic}$", "a\u0345\u2160"));
    EXPECT_TRUE(matches("^\\P{Alphabetic}[\\P{Alphabetic}x]+[^\\P{Alphabetic}]$", "1x2a"));
    EXPECT_TRUE(matches("^\\p{Lowercase}\\p{Uppercase}\\p{Cased}$", "\u2170\u2160\u24b6"));
    EXPECT_TRUE(matches("^\\p{ASCII}\\P{ASCII}\\p{Any}$", "a\u00e9\n"));
    EXPECT_FALSE(matches("\\P{Any}", "a"));
    EXPECT_TRUE(matches("^\\p{White_Space}\\p{space}\\p{AHex}\\p{Hex_Digit}$", "\u0085 a\uff26"));
}

TEST(Pattern, supports_quantifiers) {
    EXPECT_TRUE(matches("^a*b+c?$", "aabb"));
    EXPECT_TRUE(matches("^a*?b+?c??$", "aabb"));
    EXPECT_TRUE(matches("^a{2}b{1,}c{0,2}$", "aabcc"));
    EXPECT_FALSE(matches("^a{2}$", "aaa"));
    EXPECT_TRUE(matches("^a{02}b{00,01}$", "aab"));
    EXPECT_FALSE(matches("^a{02}$", "a"));
    EXPECT_TRUE(matches("^a{0}$", ""));
}

TEST(Pattern, groups_of_all_kinds_only_group) {
    EXPECT_TRUE(matches("^(ab)+(?:cd)+(?<name>ef)+$", "ababcdef"));
    EXPECT_TRUE(matches("^(?<$a\\u0062_1\u00e9\\u{1d7d8}>x)$", "x"));
    EXPECT_TRUE(matches("^(|a)$", ""));
    EXPECT_TRUE(matches("^()$", ""));
}

TEST(Pattern, names_constructs_that_re2_cannot_run_and_their_position) {
    EXPECT_EQ(error_of("ab(?=c)"), "at byte 2: lookahead (?= is not supported");
    EXPECT_EQ(error_of("(?!c)"), "at byte 0: lookahead (?! is not supported");
    EXPECT_EQ(error_of("(?<=c)d"), "at byte 0: lookbehind (?<= is not supported");
    EXPECT_EQ(error_of("(?<!c)d"), "at byte 0: lookbehind (?<! is not supported");
    EXPECT_EQ(error_of("(a)\\1"), "at byte 3: backreference \\1 is not supported");
    EXPECT_EQ(error_of("(?<n>a)\\k<n>+"), "at byte 7: backreference \\k<n> is not supported");
    EXPECT_EQ(error_of("\u00e9\\p{Emoji}"),
              "at byte 2: Unicode property \\p{Emoji} is not supported");
    EXPECT_EQ(error_of("\\P{scx=Grek}"),
              "at byte 0: Unicode property \\P{scx=Grek} is not supported");
    EXPECT_EQ(error_of("[^a\\P{Alphabetic}]"),
              "at byte 0: a negated class with a negated property and more is not supported");
    EXPECT_EQ(error_of("[^\\p{C}\\P{Alphabetic}]"),
              "at byte 0: a negated class with a negated property and more is not supported");
    EXPECT_EQ(error_of("(?=a)(?<=b)\\p{Alphabetic}[\\p{Alphabetic}]"),
              "at byte 0: lookahead (?= is not supported");
}

TEST(Pattern, refuses_patterns_beyond_the_limits_of_re2) {
    EXPECT_EQ(error_of("a{1001}"), "at byte 1: a repetition of more than 1000 is not supported");
    EXPECT_EQ(error_of("a{0,1001}"), "at byte 1: a repetition of more than 1000 is not supported");
    EXPECT_EQ(error_of("a{99999999999999999999}"),
              "at byte 1: a repetition of more than 1000 is not supported");
    EXPECT_TRUE(matches("^a{1,99999999999999999999}$", "aaa"));
    EXPECT_EQ(error_of("(a{500}){3}"),
              "nested repetitions of more than 1000 in all are not supported");
    EXPECT_EQ(error_of("(\\p{L}{1000}){1}\\p{L}{1000}"), "the pattern is too large");
    EXPECT_EQ(error_of("\\p{sc=Unknown}"),
              "not supported: invalid character class range: \\p{Unknown}");
    std::string large = "[";
    for (int i = 0; i < 1000; ++i) large += "\\p{Alphabetic}";
    EXPECT_THAT(error_of(large + "]"),
                testing::EndsWith("a pattern of this size is not supported"));
}

TEST(Pattern, names_syntax_errors_and_their_position) {
    struct {
        std::string_view pattern;
        std::string_view error;
    } const cases[] = {
        {"a)", "at byte 1: unmatched )"},
        {"a(b", "at byte 1: this group is not closed"},
        {"((a)", "at byte 0: this group is not closed"},
        {"(?i)a", "at byte 0: unknown kind of group"},
        {"(?P<n>a)", "at byte 0: unknown kind of group"},
        {"(?#a)", "at byte 0: unknown kind of group"},
        {"(?", "at byte 0: unknown kind of group"},
        {"a**", "at byte 2: nothing to repeat"},
        {"+", "at byte 0: nothing to repeat"},
        {"?", "at byte 0: nothing to repeat"},
        {"^*", "at byte 1: nothing to repeat"},
        {"\\b+", "at byte 2: nothing to repeat"},
        {"(?=a)*", "at byte 5: nothing to repeat"},
        {"{", "at byte 0: a literal { must be escaped"},
        {"a}", "at byte 1: a literal } must be escaped"},
        {"]", "at byte 0: a literal ] must be escaped"},
        {"a{", "at byte 1: a literal { must be escaped"},
        {"a{1", "at byte 1: a literal { must be escaped"},
        {"a{,2}", "at byte 1: a literal { must be escaped"},
        {"a{1,x}", "at byte 1: a literal { must be escaped"},
        {"a{2,1}", "at byte 1: the counts of this repetition are out of order"},
        {"[a", "at byte 0: this class is not closed"},
        {"[a-", "at byte 0: this class is not closed"},
        {"[b-a]", "at byte 1: this range is out of order"},
        {"[\\d-x]", "at byte 1: a range needs a character at both ends"},
        {"[a-\\d]", "at byte 1: a range needs a character at both ends"},
        {"[\\B]", "at byte 1: unknown escape"},
        {"[a-\\q]", "at byte 3: unknown escape"},
        {"[\\", "at byte 1: \\ at the end of the pattern"},
        {"a\\", "at byte 1: \\ at the end of the pattern"},
        {"\\a", "at byte 0: unknown escape"},
        {"\\-", "at byte 0: unknown escape"},
        {"\\00", "at byte 0: \\0 followed by a digit"},
        {"\\c", "at byte 0: \\c needs a letter"},
        {"\\c1", "at byte 0: \\c needs a letter"},
        {"\\x4", "at byte 0: \\x needs two hexadecimal digits"},
        {"\\x4g", "at byte 0: \\x needs two hexadecimal digits"},
        {"\\u123", "at byte 0: \\u needs four hexadecimal digits"},
        {"\\u{}", "at byte 0: \\u{ needs digits and a }"},
        {"\\u{41", "at byte 0: \\u{ needs digits and a }"},
        {"\\u{110000}", "at byte 0: \\u{} beyond the last code point"},
        {"\\p", "at byte 0: \\p and \\P need a property in braces"},
        {"\\pL}", "at byte 0: \\p and \\P need a property in braces"},
        {"\\p{L", "at byte 0: \\p and \\P need a property in braces"},
        {"\\p{}", "at byte 0: \\p{} names no Unicode property"},
        {"\\p{Greek}", "at byte 0: \\p{Greek} names no Unicode property"},
        {"\\p{sc=Elvish}", "at byte 0: \\p{sc=Elvish} names no Unicode property"},
        {"\\p{scx=Elvish}", "at byte 0: \\p{scx=Elvish} names no Unicode property"},
        {"\\p{Script_Extensions=Elvish}",
         "at byte 0: \\p{Script_Extensions=Elvish} names no Unicode property"},
        {"\\p{gc=Greek}", "at byte 0: \\p{gc=Greek} names no Unicode property"},
        {"\\p{Block=ASCII}", "at byte 0: \\p{Block=ASCII} names no Unicode property"},
        {"[\\p{x}]", "at byte 1: \\p{x} names no Unicode property"},
        {"\\1", "at byte 0: backreference to a group that does not exist"},
        {"(a)\\1\\3\\2", "at byte 5: backreference to a group that does not exist"},
        {"\\k", "at byte 0: \\k without a group name"},
        {"\\k<n", "at byte 3: this group name is not closed"},
        {"\\k<n>", "at byte 3: no group has this name"},
        {"(?<n>a)\\k<m>", "at byte 10: no group has this name"},
        {"(?<>a)", "at byte 3: empty group name"},
        {"(?<1>a)", "at byte 3: not a character of a group name"},
        {"(?<a-b>a)", "at byte 4: not a character of a group name"},
        {"(?<a\\x41>a)", "at byte 4: not a character of a group name"},
        {"(?<\\u12>a)", "at byte 3: \\u needs four hexadecimal digits"},
        {"(?<\u2e2f>a)", "at byte 3: not a character of a group name"},
        {"(?<n>a)(?<n>b)", "at byte 10: another group has this name"},
        {"a\xff", "at byte 1: not valid UTF-8"},
        {"[\xc3]", "at byte 1: not valid UTF-8"},
        {"(?<\xff>a)", "at byte 3: not valid UTF-8"},
    };
    for (auto const& [pattern, error] : cases) EXPECT_EQ(error_of(pattern), error) << pattern;
}

TEST(Pattern, quotes_only_the_beginning_of_long_constructs) {
    std::string const name(1000, 'x');
    EXPECT_EQ(error_of("\\p{" + name + "}"),
              "at byte 0: \\p{" + name.substr(0, 37) + "... names no Unicode property");
    std::string wide = "a";
    for (int i = 0; i < 100; ++i) wide += "\u00e9";
    EXPECT_EQ(error_of("(?<" + wide + ">a)\\k<" + wide + ">"),
              "at byte 207: backreference \\k<" + wide.substr(0, 37) + "... is not supported");
    EXPECT_EQ(error_of("(?<b" + wide + ">a)\\k<b" + wide + ">"),
              "at byte 208: backreference \\k<b" + wide.substr(0, 35) + "... is not supported");
}

TEST(Pattern, allows_joiners_inside_group_names) {
    EXPECT_TRUE(matches("(?<a\u200c\u200d>x)", "x"));
    EXPECT_EQ(error_of("(?<\u200c>x)"), "at byte 3: not a character of a group name");
}

// A pattern and a text that make backtracking engines take exponential time.
TEST(Pattern, matches_in_linear_time) {
    std::string text(1 << 20, 'a');
    EXPECT_TRUE(matches("^(a+)+$", text));
    text += 'b';
    EXPECT_FALSE(matches("^(a+)+$", text));
    EXPECT_FALSE(matches("^(a|a)*$", text));
    EXPECT_FALSE(matches("a{100}c", text));
}

TEST(Pattern, accepts_deep_nesting_and_long_patterns) {
    std::string nested;
    for (int i = 0; i < 20'000; ++i) nested += "(?:";
    nested += "a";
    for (int i = 0; i < 20'000; ++i) nested += ")";
    EXPECT_TRUE(matches(nested, "a"));
    std::string alternatives = "a";
    for (int i = 0; i < 20'000; ++i) alternatives += "|ab";
    EXPECT_TRUE(matches(alternatives, "xa"));
}

TEST(Pattern, has_a_size) {
    EXPECT_EQ(compile("^x-").size(), 0U);
    EXPECT_GT(compile("a+").size(), 0U);
    EXPECT_GT(compile("\\p{L}{100}").size(), 50 * compile("\\p{L}").size());
}

TEST(Pattern, can_be_moved) {
    auto first = compile("a+");
    auto second = std::move(first);
    EXPECT_TRUE(second.matches("a"));
    second = compile("^b");
    EXPECT_TRUE(second.matches("b"));
    EXPECT_FALSE(second.matches("a"));
}

TEST(EcmaRegex, accepts_valid_patterns_that_re2_cannot_run) {
    for (auto const* pattern : {"(?=a)", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>", "a{5000}",
                                "\\p{Emoji}", "\\p{scx=Grek}", "[^a\\P{Alphabetic}]"}) {
        auto const regex = read_ecma_regex(pattern);
        ASSERT_TRUE(regex) << pattern << ": " << regex.error().to_string();
        EXPECT_TRUE(regex->unsupported) << pattern;
    }
}

}  // namespace
}  // namespace lanyard::schema
