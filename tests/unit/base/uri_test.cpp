// URI references: the examples of RFC 3986, section 5.4, and the forms `$id` and `$ref` use.
#include "base/uri.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(ResolveUri, gives_the_results_of_rfc_3986) {
    constexpr std::pair<char const*, char const*> examples[] = {
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http://x/../y", "http://x/y"},
    };
    for (auto const& [reference, wanted] : examples) {
        EXPECT_EQ(resolve_uri("http://a/b/c/d;p?q", reference), wanted) << reference;
    }
}

TEST(ResolveUri, accepts_bases_without_path_or_authority) {
    EXPECT_EQ(resolve_uri("", "mcp.json#/a"), "mcp.json#/a");
    EXPECT_EQ(resolve_uri("mcp.json", "#/a"), "mcp.json#/a");
    EXPECT_EQ(resolve_uri("mcp.json", "other.json"), "other.json");
    EXPECT_EQ(resolve_uri("dir/mcp.json", "../../other.json"), "other.json");
    EXPECT_EQ(resolve_uri("http://host", "a"), "http://host/a");
    EXPECT_EQ(resolve_uri("http://host?q", "a"), "http://host/a");
    EXPECT_EQ(resolve_uri("urn:uuid:1-2", "#/a"), "urn:uuid:1-2#/a");
    EXPECT_EQ(resolve_uri("http://a/b", "urn:x:y"), "urn:x:y");
    EXPECT_EQ(resolve_uri("file:///folder/file.json", "other"), "file:///folder/other");
    EXPECT_EQ(resolve_uri("http://a/b", "1:2"), "http://a/1:2");
}

TEST(SplitFragment, divides_at_the_first_number_sign) {
    EXPECT_EQ(split_fragment("a#b").resource, "a");
    EXPECT_EQ(split_fragment("a#b").fragment, "b");
    EXPECT_EQ(split_fragment("a").resource, "a");
    EXPECT_EQ(split_fragment("a").fragment, "");
}

TEST(PercentEncoding, round_trips) {
    EXPECT_EQ(percent_decode("a%25b%2fC%2F"), "a%b/C/");
    EXPECT_EQ(percent_decode("%"), std::nullopt);
    EXPECT_EQ(percent_decode("%2"), std::nullopt);
    EXPECT_EQ(percent_decode("%g0"), std::nullopt);
    EXPECT_EQ(percent_decode("%0g"), std::nullopt);
    EXPECT_EQ(percent_encode_fragment("/$defs/a b%\"\xC3\xA9~1"), "/$defs/a%20b%25%22%C3%A9~1");
}

}  // namespace
}  // namespace lanyard
