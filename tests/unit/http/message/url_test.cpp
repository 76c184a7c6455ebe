// URLs and redirects.
#include "http/message/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

using ::testing::HasSubstr;

// Returns the normalised URL, or "!" and the error.
std::string normal(std::string_view text) {
    auto const url = Url::parse(text);
    return url ? url->to_string() : "!" + url.error().message;
}

Url url(std::string_view text) {
    return Url::parse(text).value();
}

TEST(Url, is_normalised) {
    EXPECT_EQ(normal("http://a"), "http://a/");
    EXPECT_EQ(normal("HTTPS://API.Example:443/Mcp"), "https://api.example/Mcp");
    EXPECT_EQ(normal("http://a:80/x"), "http://a/x");
    EXPECT_EQ(normal("http://a:8080/x?y=z#f"), "http://a:8080/x?y=z");
    EXPECT_EQ(normal("https://a:80/"), "https://a:80/");
    EXPECT_EQ(normal("http://a?q"), "http://a/?q");
    EXPECT_EQ(normal("http://a/b/../c/./d"), "http://a/c/d");
    EXPECT_EQ(normal("http://a/../.."), "http://a/");
    EXPECT_EQ(normal("http://[0:0:0:0:0:0:0:1]:9/"), "http://[::1]:9/");
    EXPECT_EQ(normal("http://127.0.0.1:8080/mcp"), "http://127.0.0.1:8080/mcp");
    EXPECT_EQ(normal("http://a/%7Eb%20c"), "http://a/%7Eb%20c");
}

TEST(Url, is_split_into_parts) {
    auto const some = url("https://[::1]:8443/mcp?a=b");
    EXPECT_TRUE(some.secure());
    EXPECT_EQ(some.host().view(), "::1");
    EXPECT_EQ(some.port(), 8443);
    EXPECT_EQ(some.target(), "/mcp?a=b");
    EXPECT_EQ(some.authority(), "[::1]:8443");
    EXPECT_EQ(some.origin(), "https://[::1]:8443");
    EXPECT_EQ(url("http://a/").port(), 80);
}

TEST(Url, refuses_invalid_urls) {
    for (std::string const text : {"",
                                   "a",
                                   "/mcp",
                                   "a:80",
                                   "ftp://a/",
                                   "file:///etc/passwd",
                                   "javascript:alert(1)",
                                   "http:a",
                                   "http:/a",
                                   "http://",
                                   "http:///a",
                                   "://a",
                                   "http://a:x/",
                                   "http://a:99999/",
                                   "http://a b/",
                                   "http://a/b c",
                                   "http://a/\n",
                                   "http://a\\b/",
                                   "http://a/\xC3\xA9",
                                   "http://\xC3\xA9/",
                                   "http://a/%",
                                   "http://a/%4",
                                   "http://a/%zz",
                                   "http://a%2eb/",
                                   "http://[::1/",
                                   "http://2130706433/",
                                   "http://0x7f.1/",
                                   "http://0177.0.0.1/",
                                   "http://a/{x}",
                                   "http://a/\"",
                                   " http://a/"}) {
        EXPECT_EQ(normal(text)[0], '!') << text;
    }
    EXPECT_EQ(normal("http://a/" + std::string(Url::max_bytes, 'x')), "!the URL is too long");
    EXPECT_EQ(normal("http://a:99999/"), "!the URL has no valid port: \"a:99999\"");
    EXPECT_EQ(normal("http://a_b:1:2/"), "!the URL has no valid port: \"a_b:1:2\"");
    EXPECT_EQ(Url::parse("ftp://a", " or tcp://").error().to_string(),
              "the URL must begin with http:// or https:// or tcp://");
}

TEST(Url, user_information_is_refused) {
    for (auto const* text : {"http://user@a/", "http://user:pass@a/", "http://@a/",
                             "http://good.example@evil.example/", "http://user:pa?ss@a/"}) {
        EXPECT_EQ(normal(text)[0], '!') << text;
    }
    EXPECT_THAT(normal("http://user@a/"), HasSubstr("user information"));
    EXPECT_EQ(normal("http://a/@b"), "http://a/@b");
}

TEST(Url, references_are_resolved) {
    auto const base = url("https://a.example/v1/sse?x");
    auto const resolved = [&](std::string_view reference) {
        auto const found = base.resolve(reference);
        return found ? found->to_string() : "!" + found.error().message;
    };
    EXPECT_EQ(resolved("/messages?id=1"), "https://a.example/messages?id=1");
    EXPECT_EQ(resolved("messages"), "https://a.example/v1/messages");
    EXPECT_EQ(resolved("../messages"), "https://a.example/messages");
    EXPECT_EQ(resolved("?id=2"), "https://a.example/v1/sse?id=2");
    EXPECT_EQ(resolved("//b.example/m"), "https://b.example/m");
    EXPECT_EQ(resolved("http://c.example"), "http://c.example/");
    EXPECT_EQ(resolved(""), "https://a.example/v1/sse?x");
    EXPECT_EQ(resolved("//u@b.example/m")[0], '!');
    EXPECT_EQ(resolved("/a b")[0], '!');
    EXPECT_EQ(resolved("mailto:a@b")[0], '!');
}

TEST(Url, origins_are_scheme_host_and_port) {
    EXPECT_TRUE(url("http://a/x").same_origin(url("http://A:80/y")));
    EXPECT_FALSE(url("http://a/").same_origin(url("https://a/")));
    EXPECT_FALSE(url("http://a/").same_origin(url("http://a:81/")));
    EXPECT_FALSE(url("http://a/").same_origin(url("http://b/")));
    EXPECT_EQ(url("http://a"), url("http://A:80/"));
}

// Returns the target of a redirect, or "!" and the reason why it is not followed.
std::string followed(Method method, int status, std::optional<std::string_view> location,
                     int before = 0) {
    auto const to = follow_redirect(url("https://a.example/mcp"), method, status, location, before);
    return to ? to->to_string() : "!" + to.error().message;
}

TEST(Redirect, is_followed_to_the_same_origin_only) {
    EXPECT_EQ(followed(Method::post, 307, "/mcp/"), "https://a.example/mcp/");
    EXPECT_EQ(followed(Method::post, 308, "https://A.example:443/v2"), "https://a.example/v2");
    for (auto const* elsewhere : {"https://b.example/mcp", "http://a.example/mcp", "//b.example/",
                                  "https://a.example:8443/", "https://a.example.evil.com/"}) {
        EXPECT_THAT(followed(Method::post, 307, elsewhere), HasSubstr("another origin"))
            << elsewhere;
    }
    EXPECT_EQ(followed(Method::get, 302, "https://a.example@evil.com/")[0], '!');
}

TEST(Redirect, does_not_change_the_method_of_a_request) {
    for (int const status : {301, 302, 303}) {
        EXPECT_THAT(followed(Method::post, status, "/x"), HasSubstr("into another one"));
        EXPECT_THAT(followed(Method::delete_, status, "/x"), HasSubstr("into another one"));
        EXPECT_EQ(followed(Method::get, status, "/x"), "https://a.example/x");
    }
    EXPECT_EQ(followed(Method::delete_, 308, "/x"), "https://a.example/x");
}

TEST(Redirect, has_a_limit) {
    EXPECT_EQ(followed(Method::get, 307, "/x", max_redirects - 1), "https://a.example/x");
    EXPECT_EQ(followed(Method::get, 307, "/x", max_redirects), "!the server redirects too often");
    EXPECT_EQ(followed(Method::get, 307, std::nullopt), "!a redirect does not say where to");
}

TEST(Redirect, is_one_of_five_statuses) {
    for (int status = 100; status < 600; ++status) {
        bool const expected = (status >= 301 && status <= 303) || status == 307 || status == 308;
        EXPECT_EQ(is_redirect(status), expected) << status;
    }
}

}  // namespace
}  // namespace lanyard::http
