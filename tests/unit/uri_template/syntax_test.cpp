// Valid and invalid URI templates (RFC 6570 section 2), and the error messages.
#include <gtest/gtest.h>

#include <array>

#include "lanyard/uri_template.hpp"

namespace lanyard {
namespace {

std::string error_of(std::string_view text) {
    auto const parsed = UriTemplate::parse(text);
    return parsed ? "accepted" : parsed.error().to_string();
}

TEST(UriTemplateSyntax, keeps_the_text_and_lists_the_variables_once_in_order) {
    auto const parsed = UriTemplate::parse("db://{table}/{id,table:3}{?q*,a.b,%41_c}").value();
    EXPECT_EQ(parsed.text(), "db://{table}/{id,table:3}{?q*,a.b,%41_c}");
    EXPECT_EQ(parsed.variables(), (std::vector<std::string>{"table", "id", "q", "a.b", "%41_c"}));
}

TEST(UriTemplateSyntax, a_copy_is_the_same_template) {
    auto const parsed = UriTemplate::parse("a{b}").value();
    auto const copy = parsed;
    EXPECT_EQ(copy.text(), "a{b}");
    EXPECT_EQ(&copy.text(), &parsed.text());
}

TEST(UriTemplateSyntax, the_empty_text_and_plain_text_are_templates) {
    EXPECT_EQ(UriTemplate::parse("").value().variables().size(), 0U);
    EXPECT_EQ(UriTemplate::parse("file:///etc/hosts").value().variables().size(), 0U);
}

TEST(UriTemplateSyntax, accepts_every_operator_and_modifier) {
    for (auto const* text :
         {"{a}", "{+a}", "{#a}", "{.a}", "{/a}", "{;a}", "{?a}", "{&a}", "{a*}", "{a:1}",
          "{a:9999}", "{a,b*,c:2}", "{a.b.c}", "{_}", "{0}", "{%C3%a9}"}) {
        EXPECT_EQ(error_of(text), "accepted") << text;
    }
}

TEST(UriTemplateSyntax, refuses_with_the_reason_and_the_place) {
    constexpr std::array<std::array<std::string_view, 2>, 28> cases{{
        {"ab{", "expression that does not end at byte 3"},
        {"ab{c", "'{' without '}' at byte 2"},
        {"ab{c,", "expression that does not end at byte 5"},
        {"ab{c:", "prefix length that is not a number from 1 to 9999 at byte 5"},
        {"ab}", "'}' without '{' at byte 2"},
        {"{a}}", "'}' without '{' at byte 3"},
        {"{a{b}}", "character that is not allowed in an expression at byte 2"},
        {"{}", "missing variable name at byte 1"},
        {"{+}", "missing variable name at byte 2"},
        {"{a,}", "missing variable name at byte 3"},
        {"{,a}", "missing variable name at byte 1"},
        {"{a b}", "character that is not allowed in an expression at byte 2"},
        {"{?a=b}", "character that is not allowed in an expression at byte 3"},
        {"{=a}", "operator '=', which RFC 6570 reserves, at byte 1"},
        {"{!a}", "operator '!', which RFC 6570 reserves, at byte 1"},
        {"{@a}", "operator '@', which RFC 6570 reserves, at byte 1"},
        {"{|a}", "operator '|', which RFC 6570 reserves, at byte 1"},
        {"{a.}", "variable name with a misplaced '.' at byte 3"},
        {"{a..b}", "variable name with a misplaced '.' at byte 3"},
        {"{a%4}", "character that is not allowed in an expression at byte 2"},
        {"{a:0}", "prefix length that is not a number from 1 to 9999 at byte 3"},
        {"{a:x}", "prefix length that is not a number from 1 to 9999 at byte 3"},
        {"{a:10000}", "character that is not allowed in an expression at byte 7"},
        {"{a:2*}", "character that is not allowed in an expression at byte 4"},
        {"{a*:2}", "character that is not allowed in an expression at byte 3"},
        {"a b{c}", "character that must be percent-encoded at byte 1"},
        {"100%", "'%' without two hexadecimal digits at byte 3"},
        {"a%2gb", "'%' without two hexadecimal digits at byte 1"},
    }};
    for (auto const& [text, message] : cases) {
        EXPECT_EQ(error_of(text), std::string(message) + " of the URI template") << text;
    }
}

TEST(UriTemplateSyntax, refuses_characters_that_are_invalid_in_uris) {
    for (char const c : std::string_view("\0\x01\x1f \"<>\\^`|\x7f", 12)) {
        auto const text = std::string("ab") + c;
        EXPECT_EQ(error_of(text),
                  "character that must be percent-encoded at byte 2 of the URI template")
            << int{c};
    }
}

TEST(UriTemplateSyntax, bounds_the_number_of_variables) {
    std::string text;
    for (std::size_t i = 0; i < UriTemplate::max_variables; ++i) text += "{a}";
    EXPECT_EQ(error_of(text), "accepted");
    EXPECT_EQ(error_of(text + "{a}"), "more than 128 variables at byte 385 of the URI template");
}

}  // namespace
}  // namespace lanyard
