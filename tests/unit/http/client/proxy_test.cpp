// Proxies from environment variables.
#include "http/client/proxy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace lanyard::http {
namespace {

using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

Result<ProxySettings, DecodeError> read(Variables const& variables) {
    return ProxySettings::read([&](std::string const& name) -> std::optional<std::string> {
        auto const found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    });
}

// Returns the proxy for a URL as text, or "direct".
std::string proxy_for(Variables const& variables, std::string_view url) {
    auto const settings = read(variables).value();
    auto const* proxy = settings.find(Url::parse(url).value());
    return proxy != nullptr ? proxy->url.to_string() : "direct";
}

TEST(Proxy, each_scheme_has_its_variable) {
    Variables const variables{{"http_proxy", "http://p1:1"}, {"https_proxy", "http://p2:2"}};
    EXPECT_EQ(proxy_for(variables, "http://a/"), "http://p1:1/");
    EXPECT_EQ(proxy_for(variables, "https://a/"), "http://p2:2/");
    EXPECT_EQ(proxy_for({}, "http://a/"), "direct");
    EXPECT_EQ(ProxySettings().find(Url::parse("http://a").value()), nullptr);
}

TEST(Proxy, lower_case_comes_first_and_http_proxy_in_upper_case_never) {
    EXPECT_EQ(proxy_for({{"HTTPS_PROXY", "p1"}}, "https://a/"), "http://p1/");
    EXPECT_EQ(proxy_for({{"HTTPS_PROXY", "p1"}, {"https_proxy", "p2"}}, "https://a/"),
              "http://p2/");
    EXPECT_EQ(proxy_for({{"HTTP_PROXY", "p1"}}, "http://a/"), "direct");
    EXPECT_EQ(proxy_for({{"ALL_PROXY", "p1"}}, "http://a/"), "http://p1/");
    EXPECT_EQ(proxy_for({{"all_proxy", "p1"}, {"http_proxy", "p2"}}, "http://a/"), "http://p2/");
    EXPECT_EQ(proxy_for({{"all_proxy", "p1"}, {"https_proxy", ""}}, "https://a/"), "http://p1/");
}

TEST(Proxy, this_machine_is_reached_directly) {
    for (auto const* url : {"http://localhost:8080/", "http://127.0.0.1/", "http://[::1]/"}) {
        EXPECT_EQ(proxy_for({{"http_proxy", "p"}}, url), "direct") << url;
    }
}

TEST(Proxy, no_proxy_has_exceptions_by_name) {
    auto const with = [](std::string const& list, std::string_view url) {
        return proxy_for({{"all_proxy", "p"}, {"no_proxy", list}}, url) == "direct";
    };
    EXPECT_TRUE(with("a.example", "http://a.example/"));
    EXPECT_TRUE(with("a.example", "https://b.A.example:99/"));
    EXPECT_TRUE(with(".a.example", "http://a.example/"));
    EXPECT_TRUE(with("*.a.example", "http://b.a.example/"));
    EXPECT_FALSE(with("a.example", "http://xa.example/"));
    EXPECT_FALSE(with("a.example", "http://example/"));
    EXPECT_TRUE(with("x, a.example:8080 y", "http://a.example:8080/"));
    EXPECT_FALSE(with("a.example:8080", "http://a.example/"));
    EXPECT_TRUE(with("a.example:443", "https://a.example/"));
    EXPECT_TRUE(with("*", "http://anything/"));
    EXPECT_FALSE(with("", "http://anything/"));
    EXPECT_FALSE(with(",,", "http://anything/"));
    EXPECT_FALSE(with("example", "http://10.0.0.1/"));
}

TEST(Proxy, no_proxy_has_exceptions_by_address) {
    auto const with = [](std::string const& list, std::string_view url) {
        return proxy_for({{"all_proxy", "p"}, {"NO_PROXY", list}}, url) == "direct";
    };
    EXPECT_TRUE(with("10.1.2.3", "http://10.1.2.3/"));
    EXPECT_FALSE(with("10.1.2.3", "http://10.1.2.4/"));
    EXPECT_TRUE(with("10.0.0.0/8", "http://10.1.2.3/"));
    EXPECT_FALSE(with("10.0.0.0/8", "http://11.1.2.3/"));
    EXPECT_TRUE(with("10.1.2.0/25", "http://10.1.2.127/"));
    EXPECT_FALSE(with("10.1.2.0/25", "http://10.1.2.128/"));
    EXPECT_TRUE(with("0.0.0.0/0", "http://10.1.2.3/"));
    EXPECT_FALSE(with("0.0.0.0/0", "http://[fd00::1]/"));
    EXPECT_FALSE(with("0.0.0.0/0", "http://a.example/"));
    EXPECT_TRUE(with("fd00::/8", "http://[fd12::1]/"));
    EXPECT_FALSE(with("fd00::/8", "http://[fe12::1]/"));
    EXPECT_TRUE(with("fd00::1", "http://[fd00:0::1]/"));
    EXPECT_TRUE(with("[fd00::1]:80", "http://[fd00::1]/"));
    EXPECT_FALSE(with("[fd00::1]:81", "http://[fd00::1]/"));
    EXPECT_TRUE(with("10.1.2.3:80", "http://10.1.2.3/"));
}

TEST(Proxy, credentials_become_a_header) {
    auto const plain = parse_proxy("http://proxy:3128").value();
    EXPECT_EQ(plain.authorization, "");
    EXPECT_EQ(plain.url.port(), 3128);
    auto const user = parse_proxy("https://Aladdin:open%20sesame@proxy/").value();
    EXPECT_EQ(user.authorization, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    EXPECT_TRUE(user.url.secure());
    EXPECT_EQ(parse_proxy("me@proxy").value().authorization, "Basic bWU6");
    EXPECT_EQ(parse_proxy("a@b:c@proxy").value().url.host().view(), "proxy");
    EXPECT_EQ(parse_proxy("proxy/@x").value().authorization, "");
}

TEST(Proxy, errors_name_the_variable) {
    EXPECT_THAT(read({{"https_proxy", "socks5://p"}}).error().message, HasSubstr("https_proxy: "));
    EXPECT_THAT(read({{"http_proxy", "http://"}}).error().message, HasSubstr("http_proxy: "));
    EXPECT_THAT(read({{"ALL_PROXY", "u%:p@h"}}).error().message, HasSubstr("ALL_PROXY: "));
    for (auto const* entry : {"a/8", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "::/129", "a b:c",
                              "10.0.0.0/-1", "a@b"}) {
        auto const settings = read({{"no_proxy", entry}});
        ASSERT_FALSE(settings) << entry;
        EXPECT_THAT(settings.error().message, HasSubstr("no_proxy: "));
    }
}

}  // namespace
}  // namespace lanyard::http
