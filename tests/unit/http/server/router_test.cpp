// Routes of an endpoint.
#include "http/server/router.hpp"

#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

using Kind = RouteTarget::Kind;

Router both_transports() {
    EndpointOptions options;
    options.sse_path = "/sse";
    options.message_path = "/messages";
    return Router::make(options).value();
}

TEST(Rule, H01_one_path_serves_post_get_and_delete) {
    auto const router = Router::make({}).value();
    EXPECT_EQ(router.find(Method::post, "/mcp").rule->route.kind, Kind::post);
    EXPECT_EQ(router.find(Method::get, "/mcp").rule->route.kind, Kind::stream);
    EXPECT_EQ(router.find(Method::delete_, "/mcp").rule->route.kind, Kind::end_session);
    EXPECT_EQ(router.paths().size(), 1U);
}

TEST(Rule, H25_get_is_405_if_no_stream_is_offered) {
    EndpointOptions options;
    options.streams = options.sessions = false;
    auto const router = Router::make(options).value();
    auto const match = router.find(Method::get, "/mcp");
    EXPECT_EQ(match.rule, nullptr);
    EXPECT_EQ(match.allow, "POST");
}

TEST(Rule, H43_the_two_paths_of_http_with_sse_are_served_next_to_it) {
    auto const router = both_transports();
    EXPECT_EQ(router.find(Method::get, "/sse").rule->route.kind, Kind::sse_stream);
    EXPECT_EQ(router.find(Method::post, "/messages").rule->route.kind, Kind::sse_message);
    EXPECT_EQ(router.find(Method::post, "/sse").allow, "GET");
    EXPECT_EQ(router.find(Method::get, "/messages").allow, "POST");
}

TEST(Router, paths_are_compared_byte_by_byte) {
    auto const router = both_transports();
    for (auto const* path : {"/", "", "/mcp//", "//mcp", "/MCP", "/%6dcp", "/mcp/../mcp", "/mc"}) {
        EXPECT_EQ(router.find(Method::post, path).rule, nullptr) << path;
        EXPECT_EQ(router.find(Method::post, path).allow, "") << path;
    }
}

TEST(Router, a_slash_at_the_end_makes_no_difference) {
    auto router = both_transports();
    EXPECT_EQ(router.find(Method::post, "/mcp/").rule, router.find(Method::post, "/mcp").rule);
    EXPECT_EQ(router.find(Method::get, "/sse/").rule->route.kind, Kind::sse_stream);
    EXPECT_EQ(router.find(Method::other, "/mcp/").allow, "POST, GET, DELETE");
    EXPECT_FALSE(router.add("/mcp/", {.method = Method::get})) << "it is there already";
    EndpointOptions options;
    options.path = "/api/mcp/";
    auto const given = Router::make(options).value();
    EXPECT_EQ(given.find(Method::post, "/api/mcp").rule->route.kind, Kind::post);
    EXPECT_EQ(given.find(Method::post, "/api/mcp/").rule->route.kind, Kind::post);
    options.path = "/";
    auto const root = Router::make(options).value();
    EXPECT_EQ(root.find(Method::post, "/").rule->route.kind, Kind::post);
    EXPECT_EQ(root.find(Method::post, "").rule, nullptr);
    EXPECT_EQ(root.find(Method::post, "//").rule, nullptr);
}

TEST(Router, methods_of_a_path_are_listed_for_405) {
    auto const router = both_transports();
    EXPECT_EQ(router.find(Method::other, "/mcp").rule, nullptr);
    EXPECT_EQ(router.find(Method::options, "/mcp").allow, "POST, GET, DELETE");
}

TEST(Router, accepts_further_routes) {
    auto router = both_transports();
    ASSERT_TRUE(router.add("/health", {.route = {Kind::extra, 7}}));
    EXPECT_EQ(router.find(Method::get, "/health").rule->route, (RouteTarget{Kind::extra, 7}));
    auto const again = router.add("/health", {.route = {Kind::extra, 8}});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().message(), "two routes for GET /health");
}

TEST(Router, refuses_paths_that_cannot_be_requested) {
    for (auto const* path : {"", "mcp", "/a b", "/a?b", "/a#b", "/\xC3\xA9", "/a\n"}) {
        EndpointOptions options;
        options.path = path;
        auto const router = Router::make(options);
        ASSERT_FALSE(router) << path;
        EXPECT_TRUE(router.error().is(Errc::invalid_argument));
    }
    EndpointOptions half;
    half.sse_path = "/sse";
    EXPECT_FALSE(Router::make(half));
    EndpointOptions twice;
    twice.sse_path = twice.message_path = "/mcp";
    EXPECT_FALSE(Router::make(twice));
}

TEST(Router, methods_have_names) {
    EXPECT_EQ(to_string(Method::get), "GET");
    EXPECT_EQ(to_string(Method::post), "POST");
    EXPECT_EQ(to_string(Method::delete_), "DELETE");
    EXPECT_EQ(to_string(Method::options), "OPTIONS");
    EXPECT_EQ(to_string(Method::other), "");
}

}  // namespace
}  // namespace lanyard::http
