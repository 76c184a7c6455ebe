// The route that results from a URL and the options of a client.
#include "http/client/client_route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

using ::testing::HasSubstr;

TEST(ClientRoute, has_the_host_and_port_of_the_server) {
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

TEST(ClientRoute, uses_tls_for_https) {
    auto const route =
        plan_route("https://a.example/mcp", HttpClientOptions().no_proxy().bearer_token("t"));
    EXPECT_EQ(route.port, 443);
    EXPECT_TRUE(route.wire.tls);
    EXPECT_EQ(route.wire.host, "a.example");
    EXPECT_EQ(route.wire.tunnel, "");
    EXPECT_EQ(route.machine.authorization, "Bearer t");
}

TEST(ClientRoute, has_the_host_and_port_of_a_proxy) {
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

TEST(ClientRoute, refuses_invalid_urls_and_options) {
    EXPECT_THROW(plan_route("", {}), Error);
    EXPECT_THROW(plan_route("http://a.example", HttpClientOptions().proxy("https://p.example")),
                 Error);
    EXPECT_THROW(
        plan_route("https://a.example", HttpClientOptions().client_certificate("/no", "/no")),
        Error);
}

std::string refusal_of(HttpClientOptions const& options) {
    try {
        plan_route("http://a.example", options);
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        return error.message();
    }
    return "none";
}

TEST(ClientRoute, errors_name_the_option) {
    using namespace std::chrono_literals;
    EXPECT_EQ(refusal_of(HttpClientOptions().stream_retry_interval(-1s)),
              "HttpClientOptions::stream_retry_interval: must not be negative, got -1000 ms");
    EXPECT_EQ(refusal_of(HttpClientOptions().stream_backoff_interval(0s, 1s)),
              "HttpClientOptions::stream_backoff_interval: must be more than zero, got 0 ms");
    EXPECT_EQ(refusal_of(HttpClientOptions().stream_backoff_interval(2s, 1s)),
              "HttpClientOptions::stream_backoff_interval: must be at least the first interval "
              "(2000 ms), got 1000 ms");
    EXPECT_EQ(refusal_of(HttpClientOptions().request_retries(1, 0s)),
              "HttpClientOptions::request_retries: must be more than zero, got 0 ms");
    EXPECT_EQ(refusal_of(HttpClientOptions().hard_unsent_bytes(0)),
              "HttpClientOptions::hard_unsent_bytes: must be at least 1, got 0");
}

TEST(ClientRoute, has_the_retries_of_the_options) {
    using namespace std::chrono_literals;
    auto const machine = plan_route("http://a.example", HttpClientOptions()
                                                            .no_proxy()
                                                            .stream_retry_interval(1s)
                                                            .stream_backoff_interval(2s, 3s)
                                                            .max_stream_retries(4)
                                                            .request_retries(5, 6s)
                                                            .max_refusal_retries(7))
                             .machine;
    EXPECT_EQ(machine.stream_retries.wait, 1s);
    EXPECT_EQ(machine.stream_retries.backoff.first, 2s);
    EXPECT_EQ(machine.stream_retries.backoff.longest, 3s);
    EXPECT_EQ(machine.stream_retries.backoff.max_retries, 4U);
    EXPECT_EQ(machine.request_retries.max_retries, 5U);
    EXPECT_EQ(machine.request_retries.first, 6s);
    EXPECT_EQ(machine.max_refusal_retries, 7U);
    auto const usual = plan_route("http://a.example", HttpClientOptions().no_proxy()).machine;
    EXPECT_EQ(usual.stream_retries.wait, 5s);
    EXPECT_EQ(usual.stream_retries.backoff.max_retries, 10U);
    EXPECT_EQ(usual.request_retries.max_retries, 3U);
    EXPECT_EQ(usual.request_retries.first, 1s);
    EXPECT_EQ(usual.max_refusal_retries, 3U);
}

}  // namespace
}  // namespace lanyard::http
