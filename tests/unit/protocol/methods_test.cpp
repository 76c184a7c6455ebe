// The tables of methods and features.
#include "lanyard/protocol/methods.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "lanyard/protocol/features.hpp"

namespace lanyard {
namespace {

template <class... Methods>
std::vector<MethodInfo> infos(std::tuple<Methods...> const*) {
    return {Methods::info...};
}

std::set<std::string_view> names_in(std::vector<MethodInfo> const& methods, Version version) {
    std::set<std::string_view> names;
    for (auto const& method : methods) {
        if (method.in(version)) names.insert(method.name);
    }
    return names;
}

auto const requests = infos(static_cast<AllRequests const*>(nullptr));
auto const notifications = infos(static_cast<AllNotifications const*>(nullptr));

TEST(Methods, names_are_unique) {
    std::set<std::string_view> names;
    for (auto const& method : requests)
        EXPECT_TRUE(names.insert(method.name).second) << method.name;
    for (auto const& method : notifications) {
        EXPECT_TRUE(names.insert(method.name).second) << method.name;
        EXPECT_TRUE(method.name.starts_with("notifications/"));
    }
}

TEST(Methods, each_revision_has_its_requests) {
    std::set<std::string_view> const first{"initialize",
                                           "ping",
                                           "tools/list",
                                           "tools/call",
                                           "resources/list",
                                           "resources/templates/list",
                                           "resources/read",
                                           "resources/subscribe",
                                           "resources/unsubscribe",
                                           "prompts/list",
                                           "prompts/get",
                                           "completion/complete",
                                           "logging/setLevel",
                                           "roots/list",
                                           "sampling/createMessage"};
    EXPECT_EQ(names_in(requests, Version::v2024_11_05), first);
    EXPECT_EQ(names_in(requests, Version::v2025_03_26), first);
    auto third = first;
    third.insert("elicitation/create");
    EXPECT_EQ(names_in(requests, Version::v2025_06_18), third);
    auto fourth = third;
    fourth.insert({"tasks/get", "tasks/result", "tasks/list", "tasks/cancel"});
    EXPECT_EQ(names_in(requests, Version::v2025_11_25), fourth);
    EXPECT_EQ(fourth.size(), 20U);
    EXPECT_EQ(
        names_in(requests, Version::v2026_07_28),
        (std::set<std::string_view>{"server/discover", "tools/list", "tools/call", "resources/list",
                                    "resources/templates/list", "resources/read", "prompts/list",
                                    "prompts/get", "completion/complete", "subscriptions/listen",
                                    "tasks/get", "tasks/update", "tasks/cancel"}));
}

TEST(Methods, each_revision_has_its_notifications) {
    std::set<std::string_view> const first{"notifications/initialized",
                                           "notifications/cancelled",
                                           "notifications/progress",
                                           "notifications/message",
                                           "notifications/tools/list_changed",
                                           "notifications/prompts/list_changed",
                                           "notifications/resources/list_changed",
                                           "notifications/resources/updated",
                                           "notifications/roots/list_changed"};
    EXPECT_EQ(names_in(notifications, Version::v2024_11_05), first);
    EXPECT_EQ(names_in(notifications, Version::v2025_06_18), first);
    auto fourth = first;
    fourth.insert({"notifications/elicitation/complete", "notifications/tasks/status"});
    EXPECT_EQ(names_in(notifications, Version::v2025_11_25), fourth);
    EXPECT_EQ(names_in(notifications, Version::v2026_07_28),
              (std::set<std::string_view>{
                  "notifications/cancelled", "notifications/progress", "notifications/message",
                  "notifications/tools/list_changed", "notifications/prompts/list_changed",
                  "notifications/resources/list_changed", "notifications/resources/updated",
                  "notifications/subscriptions/acknowledged", "notifications/tasks"}));
}

TEST(Features, each_revision_has_its_features) {
    EXPECT_FALSE(supports(Feature::audio_content, Version::v2024_11_05));
    EXPECT_TRUE(supports(Feature::audio_content, Version::v2025_03_26));
    EXPECT_TRUE(supports(Feature::batching, Version::v2025_03_26));
    EXPECT_FALSE(supports(Feature::batching, Version::v2025_06_18));
    EXPECT_TRUE(supports(Feature::core_tasks, Version::v2025_11_25));
    EXPECT_FALSE(supports(Feature::core_tasks, Version::v2026_07_28));
    EXPECT_TRUE(supports(Feature::tasks_extension, Version::v2026_07_28));
    EXPECT_EQ(info(Feature::tasks_extension).name, "the tasks extension");
    EXPECT_EQ(info(Feature::batching).name, "message batches");
    EXPECT_EQ(info(Feature::url_elicitation).name, "URL elicitation");
    EXPECT_EQ(info(Feature::cache_hints).name, "cache hints");
}

TEST(EnumNames, words_are_case_sensitive) {
    EXPECT_EQ(to_string(LoggingLevel::emergency), "emergency");
    EXPECT_EQ(parse_enum<LoggingLevel>("warning"), LoggingLevel::warning);
    EXPECT_FALSE(parse_enum<LoggingLevel>("Warning"));
    EXPECT_LT(LoggingLevel::debug, LoggingLevel::emergency);
}

TEST(TaskStatus, terminal_statuses_never_change) {
    EXPECT_FALSE(is_terminal(TaskStatus::working));
    EXPECT_FALSE(is_terminal(TaskStatus::input_required));
    EXPECT_TRUE(is_terminal(TaskStatus::completed));
    EXPECT_TRUE(is_terminal(TaskStatus::failed));
    EXPECT_TRUE(is_terminal(TaskStatus::cancelled));
}

TEST(InputRetry, is_empty_without_responses_and_state) {
    EXPECT_TRUE(InputRetry{}.empty());
    EXPECT_FALSE(InputRetry{.request_state = ""}.empty());
    EXPECT_FALSE((InputRetry{.input_responses = {{"k", ElicitResult{}}}}).empty());
}

}  // namespace
}  // namespace lanyard
