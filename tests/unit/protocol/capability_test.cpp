// Capabilities: looking them up and checking operations against them.
#include <gtest/gtest.h>

#include "protocol/capability_check.hpp"

namespace lanyard::protocol {
namespace {

constexpr auto v1 = Version::v2024_11_05;
constexpr auto v3 = Version::v2025_06_18;
constexpr auto v4 = Version::v2025_11_25;
constexpr auto v5 = Version::v2026_07_28;

ClientCapabilities full_client() {
    ClientCapabilities client{
        .roots = RootsCapability{.list_changed = true},
        .sampling = SamplingCapability{.context = JsonObject{}, .tools = JsonObject{}},
        .elicitation = ElicitationCapability{.form = JsonObject{}, .url = JsonObject{}},
        .tasks = TasksCapability{.list = JsonObject{}, .cancel = JsonObject{}},
        .extensions = {{tasks_extension_id, JsonObject{}}},
    };
    client.tasks->allow("sampling/createMessage");
    client.tasks->allow("elicitation/create");
    return client;
}

ServerCapabilities full_server() {
    ServerCapabilities server{
        .logging = JsonObject{},
        .completions = JsonObject{},
        .prompts = ListCapability{.list_changed = true},
        .resources = ResourcesCapability{.subscribe = true, .list_changed = true},
        .tools = ListCapability{.list_changed = true},
        .tasks = TasksCapability{.list = JsonObject{}, .cancel = JsonObject{}},
        .extensions = {{tasks_extension_id, JsonObject{}}},
    };
    server.tasks->allow("tools/call");
    return server;
}

constexpr Capability of_clients[] = {Capability::roots,
                                     Capability::roots_list_changed,
                                     Capability::sampling,
                                     Capability::sampling_tools,
                                     Capability::sampling_context,
                                     Capability::elicitation,
                                     Capability::elicitation_form,
                                     Capability::elicitation_url,
                                     Capability::tasks_sampling,
                                     Capability::tasks_elicitation};
constexpr Capability of_servers[] = {Capability::tools,
                                     Capability::tools_list_changed,
                                     Capability::resources,
                                     Capability::resources_subscribe,
                                     Capability::resources_list_changed,
                                     Capability::prompts,
                                     Capability::prompts_list_changed,
                                     Capability::completions,
                                     Capability::logging,
                                     Capability::tasks_tools_call};
constexpr Capability of_both[] = {Capability::tasks, Capability::tasks_list,
                                  Capability::tasks_cancel, Capability::tasks_extension};

TEST(Capabilities, each_is_found_on_its_side_only) {
    auto const client = full_client();
    auto const server = full_server();
    for (auto const capability : of_clients) {
        EXPECT_TRUE(has_capability(client, capability)) << to_string(capability);
        EXPECT_FALSE(has_capability(server, capability)) << to_string(capability);
        EXPECT_FALSE(has_capability(ClientCapabilities{}, capability)) << to_string(capability);
    }
    for (auto const capability : of_servers) {
        EXPECT_TRUE(has_capability(server, capability)) << to_string(capability);
        EXPECT_FALSE(has_capability(client, capability)) << to_string(capability);
        EXPECT_FALSE(has_capability(ServerCapabilities{}, capability)) << to_string(capability);
    }
    for (auto const capability : of_both) {
        EXPECT_TRUE(has_capability(client, capability)) << to_string(capability);
        EXPECT_TRUE(has_capability(server, capability)) << to_string(capability);
        EXPECT_FALSE(has_capability(ClientCapabilities{}, capability)) << to_string(capability);
        EXPECT_FALSE(has_capability(ServerCapabilities{}, capability)) << to_string(capability);
    }
    EXPECT_TRUE(has_capability(ClientCapabilities{}, Capability::none));
    EXPECT_TRUE(has_capability(ServerCapabilities{}, Capability::none));
    EXPECT_EQ(1 + std::size(of_clients) + std::size(of_servers) + std::size(of_both),
              EnumNames<Capability>::value.size());
}

TEST(Capabilities, sub_flags_are_independent_of_their_object) {
    ClientCapabilities const client{
        .roots = RootsCapability{}, .sampling = SamplingCapability{}, .tasks = TasksCapability{}};
    EXPECT_TRUE(has_capability(client, Capability::roots));
    EXPECT_FALSE(has_capability(client, Capability::roots_list_changed));
    EXPECT_FALSE(has_capability(client, Capability::sampling_tools));
    EXPECT_FALSE(has_capability(client, Capability::sampling_context));
    EXPECT_TRUE(has_capability(client, Capability::tasks));
    EXPECT_FALSE(has_capability(client, Capability::tasks_list));
    ServerCapabilities const server{
        .prompts = ListCapability{}, .resources = ResourcesCapability{}, .tools = ListCapability{}};
    EXPECT_FALSE(has_capability(server, Capability::prompts_list_changed));
    EXPECT_FALSE(has_capability(server, Capability::resources_subscribe));
    EXPECT_FALSE(has_capability(server, Capability::resources_list_changed));
    EXPECT_FALSE(has_capability(server, Capability::tools_list_changed));
}

TEST(Capabilities, task_requests_are_found_by_method) {
    TasksCapability tasks;
    tasks.allow("tools/call");
    tasks.allow("tools/other");
    tasks.allow("ping");
    EXPECT_EQ(tasks.requests,
              (JsonObject{{"tools", {{"call", JsonObject{}}, {"other", JsonObject{}}}}}));
    EXPECT_TRUE(tasks.allows("tools/call"));
    EXPECT_FALSE(tasks.allows("tools/list"));
    EXPECT_FALSE(tasks.allows("sampling/createMessage"));
    EXPECT_FALSE(tasks.allows("ping"));
    tasks.requests["sampling"] = true;
    EXPECT_FALSE(tasks.allows("sampling/createMessage"));
}

TEST(Rule, L16_requests_need_the_receivers_capability) {
    auto const refused = check_capability(methods::ListTools::info, ServerCapabilities{}, v4);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::capability_missing));
    EXPECT_EQ(refused.error().message(),
              "the server has not declared the capability \"tools\" that tools/list needs");
    EXPECT_EQ(refused.error().data(), R"({"capability":"tools"})");
    EXPECT_TRUE(check_capability(methods::ListTools::info, full_server(), v4));
    EXPECT_TRUE(check_capability(methods::Ping::info, ServerCapabilities{}, v4));
    EXPECT_TRUE(check_capability(methods::Ping::info, ClientCapabilities{}, v4));
    auto const roots = check_capability(methods::ListRoots::info, ClientCapabilities{}, v1);
    ASSERT_FALSE(roots);
    EXPECT_EQ(roots.error().message(),
              "the client has not declared the capability \"roots\" that roots/list needs");
    EXPECT_TRUE(check_capability(methods::ListRoots::info, full_client(), v1));
}

TEST(Rule, R11_subscribing_needs_its_own_flag) {
    ServerCapabilities const server{.resources = ResourcesCapability{}};
    EXPECT_TRUE(check_capability(methods::ReadResource::info, server, v4));
    EXPECT_FALSE(check_capability(methods::Subscribe::info, server, v4));
    EXPECT_FALSE(check_capability(methods::Unsubscribe::info, server, v4));
}

TEST(Rule, CO01_completion_needs_no_capability_in_2024_11_05) {
    EXPECT_TRUE(check_capability(methods::Complete::info, ServerCapabilities{}, v1));
    EXPECT_FALSE(
        check_capability(methods::Complete::info, ServerCapabilities{}, Version::v2025_03_26));
}

TEST(Rule, K04_task_methods_have_their_own_flags) {
    ServerCapabilities const server{.tasks = TasksCapability{}};
    EXPECT_TRUE(check_capability(methods::GetTask::info, server, v4));
    EXPECT_FALSE(check_capability(methods::ListTasks::info, server, v4));
    EXPECT_FALSE(check_capability(methods::CancelTask::info, server, v4));
}

TEST(Rule, M104_the_extension_replaces_the_tasks_capability) {
    EXPECT_EQ(required_capability(methods::GetTask::info, v5), Capability::tasks_extension);
    EXPECT_EQ(required_capability(methods::CancelTask::info, v5), Capability::tasks_extension);
    EXPECT_EQ(required_capability(methods::UpdateTask::info, v5), Capability::tasks_extension);
    EXPECT_EQ(required_capability(methods::GetTask::info, v4), Capability::tasks);
}

TEST(Rule, K05_tool_calls_become_tasks_only_if_declared) {
    CallToolParams params{.name = "t"};
    EXPECT_TRUE(check_capability(params, ServerCapabilities{}));
    params.task.emplace();
    EXPECT_FALSE(check_capability(params, ServerCapabilities{.tasks = TasksCapability{}}));
    EXPECT_TRUE(check_capability(params, full_server()));
}

TEST(Rule, SM04_tools_need_the_capability_sampling_tools) {
    ClientCapabilities const plain{.sampling = SamplingCapability{}};
    CreateMessageParams params;
    EXPECT_TRUE(check_capability(params, plain, v4));
    params.tool_choice.emplace();
    EXPECT_FALSE(check_capability(params, plain, v4));
    params.tool_choice.reset();
    params.tools.emplace_back();
    EXPECT_FALSE(check_capability(params, plain, v4));
    EXPECT_TRUE(check_capability(params, full_client(), v4));
}

TEST(Rule, SM07_context_needs_the_capability_sampling_context_from_2025_11_25) {
    ClientCapabilities const plain{.sampling = SamplingCapability{}};
    CreateMessageParams params{.include_context = IncludeContext::this_server};
    EXPECT_FALSE(check_capability(params, plain, v4));
    EXPECT_FALSE(check_capability(params, plain, v5));
    EXPECT_TRUE(check_capability(params, plain, v3));
    EXPECT_TRUE(check_capability(params, full_client(), v4));
    params.include_context = IncludeContext::none;
    EXPECT_TRUE(check_capability(params, plain, v4));
}

TEST(Rule, K02_sampling_and_elicitation_become_tasks_only_if_declared) {
    auto client = full_client();
    CreateMessageParams const sampling{.task = TaskMetadata{}};
    ElicitParams const elicitation = ElicitFormParams{.task = TaskMetadata{}};
    EXPECT_TRUE(check_capability(sampling, client, v4));
    EXPECT_TRUE(check_capability(elicitation, client));
    client.tasks.reset();
    EXPECT_FALSE(check_capability(sampling, client, v4));
    EXPECT_FALSE(check_capability(elicitation, client));
}

TEST(Rule, EL08_an_empty_object_means_form) {
    ClientCapabilities client{.elicitation = ElicitationCapability{}};
    EXPECT_TRUE(check_capability(ElicitFormParams{}, client));
    EXPECT_FALSE(check_capability(ElicitUrlParams{}, client));
    client.elicitation->url.emplace();
    EXPECT_FALSE(check_capability(ElicitFormParams{}, client));
    EXPECT_TRUE(check_capability(ElicitUrlParams{}, client));
    client.elicitation->form.emplace();
    EXPECT_TRUE(check_capability(ElicitFormParams{}, client));
}

TEST(Rule, EL09_undeclared_modes_are_refused) {
    auto const refused = check_capability(ElicitUrlParams{}, ClientCapabilities{});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(),
              "the client has not declared the capability \"elicitation.url\" that elicitation by "
              "URL needs");
    EXPECT_FALSE(check_capability(ElicitFormParams{}, ClientCapabilities{}));
}

TEST(Subscriptions, each_kind_of_subscription_needs_its_capability) {
    auto const server = full_server();
    SubscriptionFilter const wishes[] = {{.tools_list_changed = true},
                                         {.prompts_list_changed = true},
                                         {.resources_list_changed = true},
                                         {.resource_subscriptions = {"a:b"}},
                                         {.task_ids = {"1"}}};
    for (auto const& wish : wishes) {
        EXPECT_TRUE(check_capability(wish, server));
        EXPECT_FALSE(check_capability(wish, ServerCapabilities{}));
    }
    EXPECT_TRUE(check_capability(SubscriptionFilter{}, ServerCapabilities{}));
}

}  // namespace
}  // namespace lanyard::protocol
