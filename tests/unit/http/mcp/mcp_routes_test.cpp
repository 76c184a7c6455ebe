#include "http/mcp/mcp_routes.hpp"

#include <gtest/gtest.h>

#include "http/http_listener.hpp"
#include "lanyard/error.hpp"

namespace lanyard::http {
namespace {

TEST(McpRoutes, a_server_with_sessions_has_get_and_delete) {
    for (auto const mode : {Sessions::stateful, Sessions::hybrid}) {
        auto const routes = endpoint_routes(McpHttpOptions().sessions(mode).path("/here"));
        EXPECT_EQ(routes.path, "/here");
        EXPECT_TRUE(routes.streams);
        EXPECT_TRUE(routes.sessions);
        EXPECT_TRUE(routes.stream_answers);
    }
}

TEST(McpRoutes, a_server_without_sessions_has_neither_get_nor_delete) {
    auto const routes = endpoint_routes(McpHttpOptions().sessions(Sessions::stateless));
    EXPECT_FALSE(routes.streams);
    EXPECT_FALSE(routes.sessions);
}

TEST(McpRoutes, a_server_that_answers_as_json_does_not_require_clients_to_accept_streams) {
    EXPECT_FALSE(endpoint_routes(McpHttpOptions().answers(HttpAnswers::json)).stream_answers);
}

TEST(Rule, H43_the_two_paths_of_http_with_sse_are_served_only_if_enabled) {
    EXPECT_EQ(endpoint_routes({}).sse_path, "");
    EXPECT_EQ(endpoint_routes({}).message_path, "");
    auto const routes = endpoint_routes(McpHttpOptions().sse("/s", "/m"));
    EXPECT_EQ(routes.sse_path, "/s");
    EXPECT_EQ(routes.message_path, "/m");
}

std::string refusal_of(HttpServerOptions options) {
    try {
        make_parts(std::move(options), "127.0.0.1");
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        return error.message();
    }
    return "none";
}

std::string refusal_of(McpHttpOptions options) {
    return refusal_of(HttpServerOptions().mcp(std::move(options)));
}

TEST(HttpServerOptionsTest, the_hard_limit_of_unsent_bytes_is_eight_times_max_unsent_bytes) {
    EXPECT_EQ(HttpServerOptions().hard_unsent_bytes(), 8U << 20);
    EXPECT_EQ(HttpServerOptions().max_unsent_bytes(3).hard_unsent_bytes(), 24U);
    EXPECT_EQ(HttpServerOptions().max_unsent_bytes(SIZE_MAX / 2).hard_unsent_bytes(), SIZE_MAX);
    EXPECT_EQ(refusal_of(HttpServerOptions().max_unsent_bytes(9).hard_unsent_bytes(9)), "none");
    EXPECT_EQ(
        refusal_of(HttpServerOptions().max_unsent_bytes(10).hard_unsent_bytes(9)),
        "HttpServerOptions::hard_unsent_bytes: must be at least max_unsent_bytes (10), got 9");
}

TEST(McpOptions, errors_name_the_option) {
    using namespace std::chrono_literals;
    EXPECT_EQ(refusal_of(McpHttpOptions()), "none");
    EXPECT_EQ(refusal_of(McpHttpOptions().stream_retry_interval(-1ms)),
              "McpHttpOptions::stream_retry_interval: must not be negative, got -1 ms");
    EXPECT_EQ(refusal_of(McpHttpOptions().sse_retry_interval(-1ms)),
              "McpHttpOptions::sse_retry_interval: must not be negative, got -1 ms");
}

}  // namespace
}  // namespace lanyard::http
