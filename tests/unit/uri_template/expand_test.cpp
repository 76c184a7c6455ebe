// Expansion (RFC 6570 section 3) beyond the public test cases.
#include <gtest/gtest.h>

#include "lanyard/uri_template.hpp"

namespace lanyard {
namespace {

std::string expand(std::string_view text, UriVariables const& variables) {
    auto const expansion = UriTemplate::parse(text).value().expand(variables);
    return expansion ? *expansion : "refused: " + expansion.error().to_string();
}

TEST(UriTemplateExpand, literals_beyond_ascii_are_percent_encoded_and_triplets_kept) {
    EXPECT_EQ(expand("/caf\xc3\xa9/%2f%C3", {}), "/caf%C3%A9/%2f%C3");
}

TEST(UriTemplateExpand, undefined_variables_expand_to_nothing) {
    EXPECT_EQ(expand("x{a}{+a}{#a}{.a}{/a}{;a}{?a}{&a}y", {}), "xy");
    UriVariables const empty = UriVariables().set("a", UriList()).set("b", UriPairs());
    EXPECT_EQ(expand("x{a}{+b}{#a}{.b*}{/a*}{;b}{?a,b}{&b}y", empty), "xy");
}

TEST(UriTemplateExpand, a_prefix_counts_characters_not_bytes) {
    UriVariables const variables = UriVariables().set("v", "h\xc3\xa9llo");
    EXPECT_EQ(expand("{v:1}", variables), "h");
    EXPECT_EQ(expand("{v:2}", variables), "h%C3%A9");
    EXPECT_EQ(expand("{v:3}", variables), "h%C3%A9l");
    EXPECT_EQ(expand("{v:5}", variables), "h%C3%A9llo");
    EXPECT_EQ(expand("{v:9999}", variables), "h%C3%A9llo");
}

TEST(UriTemplateExpand, a_prefix_does_not_split_a_triplet_that_reserved_expansion_keeps) {
    UriVariables const variables = UriVariables().set("v", "a%20%C3%A9b");
    EXPECT_EQ(expand("{+v:2}", variables), "a%20");
    EXPECT_EQ(expand("{+v:3}", variables), "a%20%C3%A9");
    EXPECT_EQ(expand("{v:2}", variables), "a%25");
}

TEST(UriTemplateExpand, a_prefix_of_something_else_than_a_string_is_refused) {
    UriVariables const variables =
        UriVariables().set("list", UriList{"a"}).set("pairs", UriPairs{{"k", "v"}});
    EXPECT_EQ(expand("{list:3}", variables),
              "refused: /list: must be a string, because the URI template takes a prefix of it");
    EXPECT_EQ(expand("{?pairs:3}", variables),
              "refused: /pairs: must be a string, because the URI template takes a prefix of it");
    EXPECT_EQ(expand("{?none:3}", variables), "");
}

TEST(UriTemplateExpand, reserved_expansion_keeps_triplets_and_encodes_a_lone_percent_sign) {
    UriVariables const variables = UriVariables().set("v", "%41%zz%4");
    EXPECT_EQ(expand("{+v}", variables), "%41%25zz%254");
    EXPECT_EQ(expand("{v}", variables), "%2541%25zz%254");
}

TEST(UriTemplateExpand, names_in_an_associative_array_are_encoded_like_values) {
    UriVariables const variables = UriVariables().set("v", UriPairs{{"a&b=c", "d&e"}, {"f", ""}});
    EXPECT_EQ(expand("{?v*}", variables), "?a%26b%3Dc=d%26e&f=");
    EXPECT_EQ(expand("{;v*}", variables), ";a%26b%3Dc=d%26e;f");
    EXPECT_EQ(expand("{/v*}", variables), "/a%26b%3Dc=d%26e/f=");
    EXPECT_EQ(expand("{+v}", variables), "a&b=c,d&e,f,");
}

TEST(UriTemplateExpand, empty_items_keep_their_place) {
    UriVariables const variables = UriVariables().set("v", UriList{"", ""}).set("w", UriList{""});
    EXPECT_EQ(expand("{v}", variables), ",");
    EXPECT_EQ(expand("{/v*}", variables), "//");
    EXPECT_EQ(expand("{;v*}", variables), ";v;v");
    EXPECT_EQ(expand("{?v*}", variables), "?v=&v=");
    EXPECT_EQ(expand("{;v}", variables), ";v=,");
    EXPECT_EQ(expand("{;w}", variables), ";w");
    EXPECT_EQ(expand("{?w}", variables), "?w=");
}

TEST(UriTemplateExpand, names_of_variables_are_case_sensitive) {
    EXPECT_EQ(expand("{a}{A}", UriVariables().set("A", "x")), "x");
}

TEST(UriVariables, set_replaces_and_keeps_the_order) {
    UriVariables variables;
    EXPECT_TRUE(variables.empty());
    variables.set("b", "1").set("a", UriList{"2"}).set("b", "3");
    EXPECT_EQ(variables.size(), 2U);
    EXPECT_EQ(variables.begin()->first, "b");
    EXPECT_EQ(*variables.string("b"), "3");
    EXPECT_EQ(variables.string("a"), nullptr);
    EXPECT_EQ(variables.string("c"), nullptr);
    EXPECT_EQ(variables.find("c"), nullptr);
    EXPECT_EQ(std::get<UriList>(*variables.find("a")), UriList{"2"});
    EXPECT_EQ(variables, UriVariables().set("b", "3").set("a", UriList{"2"}));
}

}  // namespace
}  // namespace lanyard
