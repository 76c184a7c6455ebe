// The route that results from a URL and the options of a client.
#include "http/client/client_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

using ::testing::HasSubstr;

TEST(ClientRoute, leads_to_the_server) {
    auto const route =
        plan_route("http://a.example:81/mcp",
                   HttpClientOptions().no_proxy().header("X", "1").max_head_bytes(9));
    EXPECT_EQ(route.host, "a.example");
    EXPECT_EQ(route.port, 81);
    EXPECT_EQ(route.machine.headers, "X: 1\r\n");
    EXPECT_EQ(route.machine.authorization, "");
    EXPECT_FALSE(route.machine.absolute_targets);
    EXPECT_FALSE(route.wire.tls);
    EXPECT_EQ(route.wire.limits.max_head_bytes, 9U);
}

TEST(ClientRoute, uses_tls_where_the_url_says_so) {
    auto const route =
        plan_route("https://a.example/mcp", HttpClientOptions().no_proxy().bearer_token("t"));
    EXPECT_EQ(route.port, 443);
    EXPECT_TRUE(route.wire.tls);
    EXPECT_EQ(route.wire.host, "a.example");
    EXPECT_EQ(route.wire.tunnel, "");
    EXPECT_EQ(route.machine.authorization, "Bearer t");
}

TEST(ClientRoute, leads_to_a_proxy_first) {
    auto const plain =
        plan_route("http://a.example/mcp", HttpClientOptions().proxy("http://u:p@p.example:3128"));
    EXPECT_EQ(plain.host, "p.example");
    EXPECT_EQ(plain.port, 3128);
    EXPECT_TRUE(plain.machine.absolute_targets);
    EXPECT_THAT(plain.machine.headers, HasSubstr("Proxy-Authorization: Basic dTpw\r\n"));
    auto const secure =
        plan_route("https://[::1]/mcp", HttpClientOptions().proxy("p.example:3128"));
    EXPECT_EQ(secure.wire.tunnel, "[::1]:443");
    EXPECT_EQ(secure.wire.host, "::1");
    EXPECT_FALSE(secure.machine.absolute_targets);
    EXPECT_EQ(secure.machine.headers, "");
}

TEST(ClientRoute, refuses_what_makes_no_sense) {
    EXPECT_THROW(plan_route("", {}), Error);
    EXPECT_THROW(plan_route("http://a.example", HttpClientOptions().proxy("https://p.example")),
                 Error);
    EXPECT_THROW(
        plan_route("https://a.example", HttpClientOptions().client_certificate("/no", "/no")),
        Error);
}

}  // namespace
}  // namespace lanyard::http
