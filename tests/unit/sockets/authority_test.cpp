// Hosts, ports and origins.
#include "base/authority.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lanyard::sockets {
namespace {

// Returns "host|port", or "-" if the text is refused.
std::string parsed(std::string_view text) {
    auto const authority = parse_authority(text);
    if (!authority) return "-";
    auto const port = authority->port ? std::to_string(*authority->port) : "";
    return std::string(authority->host.view()) + "|" + port;
}

TEST(Authority, has_a_host_and_a_port) {
    EXPECT_EQ(parsed("localhost"), "localhost|");
    EXPECT_EQ(parsed("LocalHost:8080"), "localhost|8080");
    EXPECT_EQ(parsed("a_b-c.example.:0"), "a_b-c.example.|0");
    EXPECT_EQ(parsed("127.0.0.1:65535"), "127.0.0.1|65535");
    EXPECT_EQ(parsed("[::1]"), "::1|");
    EXPECT_EQ(parsed("[0:0:0:0:0:0:0:1]:80"), "::1|80");
    EXPECT_EQ(parsed("[::FFFF:127.0.0.1]"), "::ffff:127.0.0.1|");
    EXPECT_EQ(parsed(std::string(253, 'a')), std::string(253, 'a') + "|");
}

TEST(Authority, refuses_invalid_authorities) {
    using namespace std::literals;
    for (auto const text :
         {""sv,           ":80"sv,      "a:"sv,     "a:x"sv,       "a:65536"sv, "a:+1"sv,
          "a:1:2"sv,      "a:000080"sv, "user@a"sv, "a b"sv,       "a/b"sv,     "a%2e"sv,
          "a\0"sv,        "::1"sv,      "[::1"sv,   "::1]"sv,      "[]"sv,      "[::1]x"sv,
          "[::1%eth0]"sv, "[::1\0]"sv,  "[v1.a]"sv, "[1.2.3.4]"sv, "a,b"sv,     "\xC3\xA9"sv,
          "*"sv,          "[::1]80"sv,  "[[::1]]"sv}) {
        EXPECT_EQ(parsed(text), "-") << text;
    }
    EXPECT_EQ(parsed(std::string(254, 'a')), "-");
}

TEST(Authority, refuses_unusual_notations_of_addresses) {
    for (auto const* text : {"2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "127.1", "127.0.1",
                             "256.0.0.1", "1.2.3.4.5", "1.2.3.4.", "a.0x", "a.1", "127.0.0.01"}) {
        EXPECT_EQ(parsed(text), "-") << text;
    }
    EXPECT_EQ(parsed("1.2.3.4a"), "1.2.3.4a|");
    EXPECT_EQ(parsed("."), ".|");
    EXPECT_EQ(parsed("0xg"), "0xg|");
}

TEST(Authority, only_loopback_addresses_and_localhost_are_loopback) {
    for (auto const* text :
         {"localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "[::1]", "[0:0::0:1]"}) {
        EXPECT_TRUE(HostName::parse(text)->is_loopback()) << text;
    }
    for (auto const* text :
         {"localhost.", "localhost.evil.com", "127.0.0.1.evil.com", "a.localhost", "128.0.0.1",
          "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "[::2]"}) {
        EXPECT_FALSE(HostName::parse(text)->is_loopback()) << text;
    }
    EXPECT_TRUE(HostName::parse("127.0.0.1")->is_ipv4());
    EXPECT_FALSE(HostName::parse("127.0.0.1")->is_ipv6());
    EXPECT_TRUE(HostName::parse("[::1]")->is_ipv6());
}

TEST(Origin, is_a_scheme_and_an_authority) {
    EXPECT_EQ(parse_origin("http://a")->port(), 80);
    EXPECT_EQ(parse_origin("HTTPS://a")->port(), 443);
    EXPECT_EQ(parse_origin("https://a:8443")->port(), 8443);
    EXPECT_TRUE(parse_origin("https://[::1]")->secure);
    for (auto const* text : {"", "null", "a", "http:/a", "http://", "http://a/", "http://a/b",
                             "ftp://a", "file://", "http://u@a", "//a", "http://a http://b"}) {
        EXPECT_FALSE(parse_origin(text)) << text;
    }
}

}  // namespace
}  // namespace lanyard::sockets
