// Looking up methods by revision and side.
#include "wire/registry.hpp"

#include <gtest/gtest.h>

namespace lanyard::wire {
namespace {

using Outcome = MethodLookup::Outcome;
constexpr auto v4 = Version::v2025_11_25;
constexpr auto v5 = Version::v2026_07_28;

TEST(Registry, finds_the_methods_of_a_revision) {
    auto const found = find_request("tools/call", v4, Side::server);
    EXPECT_TRUE(found);
    EXPECT_EQ(found.outcome, Outcome::found);
    EXPECT_EQ(found.info->name, "tools/call");
    EXPECT_TRUE(find_notification("notifications/progress", v4, Side::server));
    EXPECT_TRUE(find_notification("notifications/progress", v4, Side::client));
}

TEST(Rule, J18_unknown_methods_are_not_found) {
    EXPECT_EQ(find_request("tools/nothing", v4, Side::server).outcome, Outcome::unknown);
    EXPECT_EQ(find_request("", v4, Side::server).outcome, Outcome::unknown);
    EXPECT_EQ(find_request("zzz", v4, Side::server).outcome, Outcome::unknown);
    EXPECT_EQ(find_request("TOOLS/CALL", v4, Side::server).outcome, Outcome::unknown);
    EXPECT_EQ(find_request("notifications/progress", v4, Side::server).outcome, Outcome::unknown);
    EXPECT_EQ(find_notification("tools/call", v4, Side::server).outcome, Outcome::unknown);
    EXPECT_EQ(find_request("tools/nothing", v4, Side::server).info, nullptr);
}

TEST(Registry, removed_methods_are_absent_from_2026_07_28) {
    for (auto const* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                               "resources/unsubscribe", "tasks/list", "tasks/result", "roots/list",
                               "sampling/createMessage", "elicitation/create"}) {
        EXPECT_EQ(find_request(method, v5, Side::server).outcome, Outcome::other_version) << method;
    }
    for (auto const* method :
         {"notifications/initialized", "notifications/roots/list_changed",
          "notifications/elicitation/complete", "notifications/tasks/status"}) {
        EXPECT_EQ(find_notification(method, v5, Side::server).outcome, Outcome::other_version)
            << method;
    }
    EXPECT_EQ(find_request("server/discover", v4, Side::server).outcome, Outcome::other_version);
}

TEST(Registry, sides_receive_only_their_methods) {
    EXPECT_EQ(find_request("roots/list", v4, Side::server).outcome, Outcome::other_direction);
    EXPECT_TRUE(find_request("roots/list", v4, Side::client));
    EXPECT_EQ(find_request("tools/call", v4, Side::client).outcome, Outcome::other_direction);
    EXPECT_TRUE(find_request("ping", v4, Side::client));
    EXPECT_TRUE(find_request("ping", v4, Side::server));
}

TEST(Rule, M22_modern_servers_send_no_requests) {
    for (auto const& method : all_requests()) {
        if (!method.in(v5)) continue;
        EXPECT_EQ(direction_in(method, v5), Direction::client_to_server) << method.name;
        EXPECT_FALSE(find_request(method.name, v5, Side::client)) << method.name;
    }
    EXPECT_TRUE(find_request("tasks/get", v4, Side::client));
}

TEST(Registry, modern_progress_comes_from_servers) {
    EXPECT_FALSE(find_notification("notifications/progress", v5, Side::server));
    EXPECT_TRUE(find_notification("notifications/progress", v5, Side::client));
    EXPECT_TRUE(find_notification("notifications/cancelled", v5, Side::server));
    EXPECT_TRUE(find_notification("notifications/cancelled", v5, Side::client));
}

TEST(Registry, tables_are_sorted_by_name) {
    EXPECT_TRUE(std::ranges::is_sorted(all_requests(), {}, &MethodInfo::name));
    EXPECT_TRUE(std::ranges::is_sorted(all_notifications(), {}, &MethodInfo::name));
    EXPECT_EQ(all_requests().size(), std::tuple_size_v<AllRequests>);
    EXPECT_EQ(all_notifications().size(), std::tuple_size_v<AllNotifications>);
}

TEST(Rule, M71_only_three_methods_can_require_input) {
    int count = 0;
    for (auto const& method : all_requests()) count += allows_input_required(method) ? 1 : 0;
    EXPECT_EQ(count, 3);
    EXPECT_TRUE(allows_input_required(methods::CallTool::info));
    EXPECT_TRUE(allows_input_required(methods::GetPrompt::info));
    EXPECT_TRUE(allows_input_required(methods::ReadResource::info));
}

}  // namespace
}  // namespace lanyard::wire
