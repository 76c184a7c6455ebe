// Matching is the inverse of expansion: the expansion of a template matches the template, with
// variables that expand to the same URI again.
#include <gtest/gtest.h>

#include <array>

#include "lanyard/uri_template.hpp"
#include "unit/uri_template/variables_text.hpp"
#include "uri_template/characters.hpp"

namespace lanyard {
namespace {

std::vector<std::optional<UriValue>> const& sample_values() {
    static std::vector<std::optional<UriValue>> const values{
        std::nullopt,
        UriValue(""),
        UriValue("a"),
        UriValue("a.b"),
        UriValue("x=/,;&?#"),
        UriValue("\xc3\xa9%41%"),
        UriValue(UriList{"a"}),
        UriValue(UriList{"", ""}),
        UriValue(UriList{"a", "b=c", "."}),
        UriValue(UriPairs{{"k", "v"}}),
        UriValue(UriPairs{{"x", ""}, {"y", "1,2"}, {"", "e"}}),
    };
    return values;
}

// Calls `check` with every pair of values for the variables x and y.
template <class Check>
void for_all_variables(Check check) {
    for (auto const& x : sample_values()) {
        for (auto const& y : sample_values()) {
            UriVariables variables;
            if (x) variables.set("x", *x);
            if (y) variables.set("y", *y);
            check(variables);
        }
    }
}

std::vector<std::string> templates_of_one_and_two_variables() {
    constexpr std::array operators{"", "+", "#", ".", "/", ";", "?", "&"};
    constexpr std::array modifiers{"", "*", ":1", ":3"};
    std::vector<std::string> templates;
    for (std::string const op : operators) {
        for (std::string const first : modifiers) {
            for (std::string const second : modifiers) {
                templates.push_back("{" + op + "x" + first + ",y" + second + "}");
                templates.push_back("{" + op + "x" + first + "}{" + op + "y" + second + "}");
                templates.push_back("a{" + op + "x" + first + "}.{y" + second + "}b");
                templates.push_back("{+x" + first + "}a{" + op + "y" + second + "}/");
            }
        }
    }
    return templates;
}

TEST(UriTemplateInverse, every_expansion_matches_and_expands_to_itself_again) {
    std::size_t expansions = 0;
    for (auto const& text : templates_of_one_and_two_variables()) {
        auto const parsed = UriTemplate::parse(text).value();
        for_all_variables([&](UriVariables const& variables) {
            auto const uri = parsed.expand(variables);
            if (!uri) return;
            auto const found = parsed.match(*uri);
            ASSERT_TRUE(found) << text << " does not match " << *uri << ", the expansion of "
                               << test::text_of(variables);
            EXPECT_TRUE(uri_template::equivalent(parsed.expand(*found).value(), *uri))
                << text << ": " << *uri << " gives " << test::text_of(found);
            ++expansions;
        });
    }
    EXPECT_GT(expansions, 30'000U);
}

// Calls `check` with all texts over an alphabet, the shortest first.
template <class Check>
void for_all_texts(std::string_view alphabet, std::size_t longest, Check check) {
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        check(texts[i]);
        if (texts[i].size() == longest) continue;
        for (char const c : alphabet) texts.push_back(texts[i] + c);
    }
}

TEST(UriTemplateInverse, a_matching_uri_is_the_expansion_of_its_variables) {
    for (auto const* text :
         {"{x}", "{+x}{y}", "{x,y}", "{x*,y}", "{.x,y*}", "{/x*}{/y}", "{;x,y*}", "{?x*,y}",
          "{?x}{&y}", "{x:2}{y}", "x{#x,y:1}", "{x}{/x}", "{x:1}{;x}", "{?y,x:1}"}) {
        auto const parsed = UriTemplate::parse(text).value();
        std::size_t matches = 0;
        for_all_texts("x=,./;?&#", 4, [&](std::string const& uri) {
            auto const found = parsed.match(uri);
            if (!found) return;
            EXPECT_EQ(parsed.expand(*found).value(), uri) << text << ": " << test::text_of(found);
            ++matches;
        });
        EXPECT_GT(matches, 1U) << text;
    }
}

TEST(UriTemplateInverse, percent_encoding_comes_back_normalised) {
    for (auto const* text : {"{x}", "{+x}", "{x}{+y}", "{?x*}", "{+x*}", "{x:1}{y}"}) {
        auto const parsed = UriTemplate::parse(text).value();
        for_all_texts("%25fa=", 5, [&](std::string const& end) {
            auto const uri = (parsed.text()[1] == '?' ? "?x=" : "") + end;
            auto const found = parsed.match(uri);
            if (!found) return;
            auto const again = parsed.expand(*found).value();
            EXPECT_TRUE(uri_template::equivalent(again, uri))
                << text << ": " << uri << ", " << again;
        });
    }
}

TEST(UriEquivalence, ignores_only_the_spelling_of_percent_encoding) {
    using uri_template::equivalent;
    EXPECT_TRUE(equivalent("", ""));
    EXPECT_TRUE(equivalent("a%7E%2f", "%61~%2F"));
    EXPECT_FALSE(equivalent("/", "%2F"));
    EXPECT_FALSE(equivalent("%2F", "/"));
    EXPECT_FALSE(equivalent("a", "b"));
    EXPECT_FALSE(equivalent("a", "ab"));
    EXPECT_FALSE(equivalent("ab", "a"));
    EXPECT_FALSE(equivalent("%", "%25"));
}

}  // namespace
}  // namespace lanyard
