// Matching: the variables of a template that are read from a URI.
#include <gtest/gtest.h>

#include "lanyard/uri_template.hpp"
#include "unit/uri_template/variables_text.hpp"

namespace lanyard {
namespace {

std::string match(std::string_view text, std::string_view uri) {
    return test::text_of(UriTemplate::parse(text).value().match(uri));
}

TEST(UriTemplateMatch, plain_text_matches_itself_only) {
    EXPECT_EQ(match("config://app", "config://app"), "");
    EXPECT_EQ(match("config://app", "config://ap"), "no match");
    EXPECT_EQ(match("config://app", "config://apps"), "no match");
    EXPECT_EQ(match("config://app", ""), "no match");
    EXPECT_EQ(match("", ""), "");
    EXPECT_EQ(match("", "a"), "no match");
}

TEST(UriTemplateMatch, simple_variables_stop_at_reserved_characters) {
    EXPECT_EQ(match("db://{table}/{id}", "db://users/7"), R"(table="users" id="7")");
    EXPECT_EQ(match("db://{table}/{id}", "db://users/7/8"), "no match");
    EXPECT_EQ(match("db://{table}/{id}", "db://users"), "no match");
    EXPECT_EQ(match("file:///{path}", "file:///a-b_c.d~e"), R"(path="a-b_c.d~e")");
    EXPECT_EQ(match("file:///{path}", "file:///a/b"), "no match");
    EXPECT_EQ(match("file:///{path}", "file:///a%2Fb%20c"), R"(path="a/b c")");
    EXPECT_EQ(match("file:///{path}", "file:///a b"), "no match");
    EXPECT_EQ(match("file:///{path}", "file:///a%2"), "no match");
    EXPECT_EQ(match("file:///{path}", "file:///a%zz"), "no match");
    EXPECT_EQ(match("file:///{path}", "file:///caf\xc3\xa9"), "no match");
    EXPECT_EQ(match("file:///{path}", "file:///caf%c3%A9"), "path=\"caf\xc3\xa9\"");
}

TEST(UriTemplateMatch, reserved_variables_match_everything) {
    EXPECT_EQ(match("file:///{+path}", "file:///a/b,c?d=e#f"), R"(path="a/b,c?d=e#f")");
    EXPECT_EQ(match("{+path}/{id}", "a/b/c"), R"(path="a/b" id="c")");
    EXPECT_EQ(match("{+a}/{b}/{c}", "1/2/3/4"), R"(a="1/2" b="3" c="4")");
    EXPECT_EQ(match("repo://{+path}/blob/{name}", "repo://x/blob/y/blob/z"),
              R"(path="x/blob/y" name="z")");
    EXPECT_EQ(match("x{#part}", "x#a/b"), R"(part="a/b")");
    EXPECT_EQ(match("x{#part}", "x"), "");
}

TEST(UriTemplateMatch, query_variables_may_be_missing_but_keep_their_order) {
    constexpr auto text = "search{?q,lang}";
    EXPECT_EQ(match(text, "search?q=cats&lang=en"), R"(q="cats" lang="en")");
    EXPECT_EQ(match(text, "search?q=cats"), R"(q="cats")");
    EXPECT_EQ(match(text, "search?lang=en"), R"(lang="en")");
    EXPECT_EQ(match(text, "search"), "");
    EXPECT_EQ(match(text, "search?q="), R"(q="")");
    EXPECT_EQ(match(text, "search?"), "no match");
    EXPECT_EQ(match(text, "search?q"), "no match");
    EXPECT_EQ(match(text, "search?lang=en&q=cats"), "no match");
    EXPECT_EQ(match(text, "search?q=cats&other=1"), "no match");
    EXPECT_EQ(match(text, "search?q=cats&"), "no match");
    EXPECT_EQ(match(text, "search?q=a,b"), R"(q=["a","b"])");
    EXPECT_EQ(match("s?fixed=yes{&q}", "s?fixed=yes&q=1"), R"(q="1")");
}

TEST(UriTemplateMatch, an_empty_match_is_undefined) {
    EXPECT_EQ(match("db://{table}/{id}", "db:///7"), R"(id="7")");
    EXPECT_EQ(match("{a}", ""), "");
    EXPECT_EQ(match("{a,b}", ""), "");
    EXPECT_EQ(match("{+a}", ""), "");
    EXPECT_EQ(match("{a*}", ""), "");
    EXPECT_EQ(match("{a}{b}", "x"), R"(a="x")");
    EXPECT_EQ(match("{a}{b}{c}", ""), "");
    EXPECT_EQ(match("{a,b}", ","), R"(a="" b="")");
    EXPECT_EQ(match("{a,b}", "x,"), R"(a="x" b="")");
    EXPECT_EQ(match("{a*}", ","), R"(a=["",""])");
    EXPECT_EQ(match("{a*}", "="), R"(a={"":""})");
    EXPECT_EQ(match("{/a}", "/"), R"(a="")");
    EXPECT_EQ(match("{.a}", "."), R"(a="")");
    EXPECT_EQ(match("{#a}", "#"), R"(a="")");
}

TEST(UriTemplateMatch, all_but_the_last_variable_of_an_expression_take_one_item) {
    EXPECT_EQ(match("{x,y}", "1,2,3"), R"(x="1" y=["2","3"])");
    EXPECT_EQ(match("{x,y}", "1"), R"(x="1")");
    EXPECT_EQ(match("{+x,y}", "1,2,3"), R"(x="1" y="2,3")");
    EXPECT_EQ(match("{+x,y:1}", "1,2,3"), R"(x="1,2" y="3")");
    EXPECT_EQ(match("X{.x,y}", "X.1.2.3"), R"(x="1" y="2.3")");
    EXPECT_EQ(match("X{.x,y:1}", "X.1.2.3"), R"(x="1.2" y="3")");
    EXPECT_EQ(match("{/x,y}", "/1/2"), R"(x="1" y="2")");
    EXPECT_EQ(match("{/x,y}", "/1/2/3"), "no match");
    EXPECT_EQ(match("{/x,y}", "/1,2/3"), R"(x=["1","2"] y="3")");
    EXPECT_EQ(match("{/x,y}z", "/1/2z"), R"(x="1" y="2")");
}

TEST(UriTemplateMatch, exploded_variables_are_lists_or_associative_arrays) {
    EXPECT_EQ(match("{/path*}", "/a/b/c"), R"(path=["a","b","c"])");
    EXPECT_EQ(match("{/path*}", "/a"), R"(path=["a"])");
    EXPECT_EQ(match("{/path*}", "/k=v/l=w"), R"(path={"k":"v","l":"w"})");
    EXPECT_EQ(match("{/path*}", "/k=v/l"), "no match");
    EXPECT_EQ(match("{/path*}", "/a,b"), "no match");
    EXPECT_EQ(match("{/path*,name}", "/a/b/c"), R"(path=["a","b","c"])");
    EXPECT_EQ(match("{/path*}/{name}", "/a/b/c"), R"(path=["a","b"] name="c")");
    EXPECT_EQ(match("{/x,path*}", "/a/k=v"), R"(x="a" path={"k":"v"})");
    EXPECT_EQ(match("{/path*,x}", "/k=v/a"), R"(path={"k":"v"} x="a")");
    EXPECT_EQ(match("X{.v*}", "X.a.b"), R"(v=["a","b"])");
    EXPECT_EQ(match("{v*}", "a,b"), R"(v=["a","b"])");
    EXPECT_EQ(match("{v*}", "k=v,l=w"), R"(v={"k":"v","l":"w"})");
    EXPECT_EQ(match("{+v*}", "/a,b"), R"(v=["/a","b"])");
    EXPECT_EQ(match("{+v*}", "k=/a,l=b=c"), R"(v={"k":"/a","l":"b=c"})");
    EXPECT_EQ(match("{+v*}", "k=/a,l"), R"(v=["k=/a","l"])");
}

TEST(UriTemplateMatch, exploded_query_variables_do_not_take_the_names_of_others) {
    EXPECT_EQ(match("{?v*}", "?v=1&v=2"), R"(v=["1","2"])");
    EXPECT_EQ(match("{?v*}", "?k=1&l=2"), R"(v={"k":"1","l":"2"})");
    EXPECT_EQ(match("{?v*}", "?v=1&l=2"), R"(v={"v":"1","l":"2"})");
    EXPECT_EQ(match("{?v*,w}", "?v=1&v=2&w=3"), R"(v=["1","2"] w="3")");
    EXPECT_EQ(match("{?v*,w}", "?k=1&w=3"), R"(v={"k":"1"} w="3")");
    EXPECT_EQ(match("{?v*,w*}", "?v=1&w=2&k=3"), R"(v=["1"] w={"w":"2","k":"3"})");
    EXPECT_EQ(match("{?v*,x,y}", "?y=1&x=2"), R"(v={"y":"1"} x="2")");
    EXPECT_EQ(match("{?w,v*}", "?w=1&w=2"), R"(w="1" v={"w":"2"})");
    EXPECT_EQ(match("{?v*}", "?v=a,b"), "no match");
    EXPECT_EQ(match("{?v*}", "?v"), "no match");
    EXPECT_EQ(match("{?v*}", "?a%26b=1"), R"(v={"a&b":"1"})");
    EXPECT_EQ(match("{?%41*}", "?%41=1&k=2"), R"(%41={"A":"1","k":"2"})");
}

TEST(UriTemplateMatch, empty_path_parameters_have_no_equals_sign) {
    EXPECT_EQ(match("{;x,y}", ";x=1;y"), R"(x="1" y="")");
    EXPECT_EQ(match("{;x,y}", ";y=2"), R"(y="2")");
    EXPECT_EQ(match("{;x,y}", ";x=;y"), "no match");
    EXPECT_EQ(match("{;x:1}", ";x=12"), "no match");
    EXPECT_EQ(match("{;x:1}", ";x=1"), R"(x="1")");
    EXPECT_EQ(match("{;x:1}", ";x=%41"), R"(x="A")");
    EXPECT_EQ(match("{;v*}", ";v=1;v"), R"(v=["1",""])");
    EXPECT_EQ(match("{;v*}", ";k=1;l"), R"(v={"k":"1","l":""})");
    EXPECT_EQ(match("{;v*}", ";k="), "no match");
}

TEST(UriTemplateMatch, variables_are_filled_from_left_to_right) {
    EXPECT_EQ(match("{a}-{b}", "x-y-z"), R"(a="x-y" b="z")");
    EXPECT_EQ(match("{a}.{b}.{c}", "1.2.3.4"), R"(a="1.2" b="3" c="4")");
    EXPECT_EQ(match("{a}%20{b}", "x%20y%20z"), R"(a="x y" b="z")");
    EXPECT_EQ(match("{a}b{c:1}", "abbb"), R"(a="abb")");
    EXPECT_EQ(match("{a}b{c:1}", "abbc"), R"(a="ab" c="c")");
    EXPECT_EQ(match("{a}{/b*}{?c}", "x/y/z?c=1"), R"(a="x" b=["y","z"] c="1")");
}

TEST(UriTemplateMatch, a_prefix_bounds_the_number_of_characters) {
    EXPECT_EQ(match("{v:3}", "abc"), R"(v="abc")");
    EXPECT_EQ(match("{v:3}", "abcd"), "no match");
    EXPECT_EQ(match("{v:3}", "ab,"), "no match");
    EXPECT_EQ(match("{v:3}", "%C3%A9%C3%A9%C3%A9"), "v=\"\xc3\xa9\xc3\xa9\xc3\xa9\"");
    EXPECT_EQ(match("{v:2}", "%C3%A9%C3%A9%C3%A9"), "no match");
    EXPECT_EQ(match("{a:1}{b}", "xyz"), R"(a="x" b="yz")");
    EXPECT_EQ(match("{a:2}x{b:2}", "xxxxx"), R"(a="xx" b="xx")");
    EXPECT_EQ(match("{a:2}x{b:2}", "xxxx"), R"(a="xx" b="x")");
    EXPECT_EQ(match("{a:2}x{b:2}", "xxxxxx"), "no match");
    EXPECT_EQ(match("{+v:3}", "/%2Fa"), R"(v="/%2Fa")");
    EXPECT_EQ(match("{?v:2}", "?v=abc"), "no match");
}

TEST(UriTemplateMatch, reserved_variables_keep_triplets_that_decoding_would_change) {
    EXPECT_EQ(match("{+v}", "%2Fa%20b%41"), R"(v="%2Fa bA")");
    EXPECT_EQ(match("{+v}", "50%25"), R"(v="50%")");
    EXPECT_EQ(match("{+v}", "50%25a"), R"(v="50%a")");
    EXPECT_EQ(match("{+v}", "50%25ab"), R"(v="50%25ab")");
    EXPECT_EQ(match("{+v}", "50%25%34%31"), R"(v="50%2541")");
    EXPECT_EQ(match("{+v}", "50%25%2F"), R"(v="50%%2F")");
    EXPECT_EQ(match("{+v}", "%c3%a9"), "v=\"\xc3\xa9\"");
}

TEST(UriTemplateMatch, a_repeated_variable_has_one_value) {
    EXPECT_EQ(match("{a}/{a}", "x/x"), R"(a="x")");
    EXPECT_EQ(match("{a}/{a}", "x/y"), "no match");
    EXPECT_EQ(match("{a}/{a}", "x/"), "no match");
    EXPECT_EQ(match("{a}/{a}", "/"), "");
    EXPECT_EQ(match("{a}/{a}", "%7e/~"), R"(a="~")");
    EXPECT_EQ(match("{a}/{a}", "%41%2f/A%2F"), R"(a="A/")");
    EXPECT_EQ(match("{+a}/-/{+a}", "%2F/-//"), "no match");
    EXPECT_EQ(match("{/hash:2,hash}", "/ab/abcdef"), R"(hash="abcdef")");
    EXPECT_EQ(match("{/hash:2,hash}", "/ax/abcdef"), "no match");
    EXPECT_EQ(match("{/hash:2,hash}", "/a/abcdef"), "no match");
    EXPECT_EQ(match("{/v:1,v:3}", "/a/abc"), R"(v="abc")");
    EXPECT_EQ(match("{/v:3,v:1}", "/abc/a"), R"(v="abc")");
    EXPECT_EQ(match("{/v}{?v*}", "/a,b?v=a&v=b"), R"(v=["a","b"])");
    EXPECT_EQ(match("{/v:1}{?v*}", "/a?v=a"), "no match");
    EXPECT_EQ(match("{v}{?v}", "?v="), R"(v="")");
}

TEST(UriTemplateMatch, bytes_that_are_invalid_in_uris_do_not_match) {
    EXPECT_EQ(match("{a}", std::string_view("a\0b", 3)), "no match");
    EXPECT_EQ(match("{+a}", std::string_view("\0", 1)), "no match");
    EXPECT_EQ(match("{a,b}", std::string_view("a,\0", 3)), "no match");
}

TEST(UriTemplateMatch, refuses_a_uri_too_long_to_index) {
    auto const parsed = UriTemplate::parse("{a}").value();
    // Only the size is read, not the characters.
    EXPECT_FALSE(parsed.match(std::string_view("a", std::size_t{1} << 32)));
}

}  // namespace
}  // namespace lanyard
