// Every method and notification of every protocol revision: name, types, direction, revisions,
// capability.
#pragma once

#include <string_view>
#include <tuple>

#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/completion.hpp>
#include <lanyard/protocol/discover.hpp>
#include <lanyard/protocol/elicitation.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/protocol/initialize.hpp>
#include <lanyard/protocol/logging.hpp>
#include <lanyard/protocol/progress.hpp>
#include <lanyard/protocol/prompts.hpp>
#include <lanyard/protocol/resources.hpp>
#include <lanyard/protocol/roots.hpp>
#include <lanyard/protocol/sampling.hpp>
#include <lanyard/protocol/subscriptions.hpp>
#include <lanyard/protocol/tasks.hpp>
#include <lanyard/protocol/tools.hpp>

namespace lanyard {

enum class Direction { client_to_server, server_to_client, both };

/// The name of a method, the side that may send it, and the revisions that have it.
struct MethodInfo {
    std::string_view name;
    Direction direction;
    Version since;
    /// The last revision that has the method.
    Version until;
    /// The capability that the receiver of a request, or the sender of a notification, must have
    /// declared.
    Capability capability;

    constexpr bool in(Version version) const noexcept {
        return version >= since && version <= until;
    }
};

/// A method of requests. Params and Result are the types of its parameters and its result.
template <class P, class R>
struct RequestMethod {
    using Params = P;
    using Result = R;
};

/// A notification method.
template <class P>
struct NotificationMethod {
    using Params = P;
};

namespace methods {

inline constexpr auto first = Version::v2024_11_05;
inline constexpr auto to_server = Direction::client_to_server;
inline constexpr auto to_client = Direction::server_to_client;

struct Initialize : RequestMethod<InitializeParams, InitializeResult> {
    static constexpr MethodInfo info{"initialize", to_server, first, newest_legacy_version,
                                     Capability::none};
};

struct Ping : RequestMethod<EmptyParams, EmptyResult> {
    static constexpr MethodInfo info{"ping", Direction::both, first, newest_legacy_version,
                                     Capability::none};
};

struct Discover : RequestMethod<DiscoverParams, DiscoverResult> {
    static constexpr MethodInfo info{"server/discover", to_server, Version::v2026_07_28,
                                     newest_version, Capability::none};
};

struct ListTools : RequestMethod<ListToolsParams, ListToolsResult> {
    static constexpr MethodInfo info{"tools/list", to_server, first, newest_version,
                                     Capability::tools};
};

struct CallTool : RequestMethod<CallToolParams, CallToolResult> {
    static constexpr MethodInfo info{"tools/call", to_server, first, newest_version,
                                     Capability::tools};
};

struct ListResources : RequestMethod<ListResourcesParams, ListResourcesResult> {
    static constexpr MethodInfo info{"resources/list", to_server, first, newest_version,
                                     Capability::resources};
};

struct ListResourceTemplates
    : RequestMethod<ListResourceTemplatesParams, ListResourceTemplatesResult> {
    static constexpr MethodInfo info{"resources/templates/list", to_server, first, newest_version,
                                     Capability::resources};
};

struct ReadResource : RequestMethod<ReadResourceParams, ReadResourceResult> {
    static constexpr MethodInfo info{"resources/read", to_server, first, newest_version,
                                     Capability::resources};
};

struct Subscribe : RequestMethod<SubscribeParams, EmptyResult> {
    static constexpr MethodInfo info{"resources/subscribe", to_server, first, newest_legacy_version,
                                     Capability::resources_subscribe};
};

struct Unsubscribe : RequestMethod<UnsubscribeParams, EmptyResult> {
    static constexpr MethodInfo info{"resources/unsubscribe", to_server, first,
                                     newest_legacy_version, Capability::resources_subscribe};
};

struct ListPrompts : RequestMethod<ListPromptsParams, ListPromptsResult> {
    static constexpr MethodInfo info{"prompts/list", to_server, first, newest_version,
                                     Capability::prompts};
};

struct GetPrompt : RequestMethod<GetPromptParams, GetPromptResult> {
    static constexpr MethodInfo info{"prompts/get", to_server, first, newest_version,
                                     Capability::prompts};
};

struct Complete : RequestMethod<CompleteParams, CompleteResult> {
    static constexpr MethodInfo info{"completion/complete", to_server, first, newest_version,
                                     Capability::completions};
};

struct SetLevel : RequestMethod<SetLevelParams, EmptyResult> {
    static constexpr MethodInfo info{"logging/setLevel", to_server, first, newest_legacy_version,
                                     Capability::logging};
};

struct ListRoots : RequestMethod<ListRootsParams, ListRootsResult> {
    static constexpr MethodInfo info{"roots/list", to_client, first, newest_legacy_version,
                                     Capability::roots};
};

struct CreateMessage : RequestMethod<CreateMessageParams, CreateMessageResult> {
    static constexpr MethodInfo info{"sampling/createMessage", to_client, first,
                                     newest_legacy_version, Capability::sampling};
};

struct Elicit : RequestMethod<ElicitParams, ElicitResult> {
    static constexpr MethodInfo info{"elicitation/create", to_client, Version::v2025_06_18,
                                     newest_legacy_version, Capability::elicitation};
};

struct GetTask : RequestMethod<GetTaskParams, GetTaskResult> {
    static constexpr MethodInfo info{"tasks/get", Direction::both, Version::v2025_11_25,
                                     newest_version, Capability::tasks};
};

struct GetTaskPayload : RequestMethod<GetTaskPayloadParams, GetTaskPayloadResult> {
    static constexpr MethodInfo info{"tasks/result", Direction::both, Version::v2025_11_25,
                                     newest_legacy_version, Capability::tasks};
};

struct ListTasks : RequestMethod<ListTasksParams, ListTasksResult> {
    static constexpr MethodInfo info{"tasks/list", Direction::both, Version::v2025_11_25,
                                     newest_legacy_version, Capability::tasks_list};
};

struct CancelTask : RequestMethod<CancelTaskParams, CancelTaskResult> {
    static constexpr MethodInfo info{"tasks/cancel", Direction::both, Version::v2025_11_25,
                                     newest_version, Capability::tasks_cancel};
};

struct UpdateTask : RequestMethod<UpdateTaskParams, EmptyResult> {
    static constexpr MethodInfo info{"tasks/update", to_server, Version::v2026_07_28,
                                     newest_version, Capability::tasks_extension};
};

struct SubscriptionsListen : RequestMethod<SubscriptionsListenParams, SubscriptionsListenResult> {
    static constexpr MethodInfo info{"subscriptions/listen", to_server, Version::v2026_07_28,
                                     newest_version, Capability::none};
};

struct Initialized : NotificationMethod<EmptyParams> {
    static constexpr MethodInfo info{"notifications/initialized", to_server, first,
                                     newest_legacy_version, Capability::none};
};

struct Cancelled : NotificationMethod<CancelledParams> {
    static constexpr MethodInfo info{"notifications/cancelled", Direction::both, first,
                                     newest_version, Capability::none};
};

struct Progress : NotificationMethod<ProgressParams> {
    static constexpr MethodInfo info{"notifications/progress", Direction::both, first,
                                     newest_version, Capability::none};
};

struct LoggingMessage : NotificationMethod<LoggingMessageParams> {
    static constexpr MethodInfo info{"notifications/message", to_client, first, newest_version,
                                     Capability::logging};
};

struct ToolListChanged : NotificationMethod<EmptyParams> {
    static constexpr MethodInfo info{"notifications/tools/list_changed", to_client, first,
                                     newest_version, Capability::tools_list_changed};
};

struct PromptListChanged : NotificationMethod<EmptyParams> {
    static constexpr MethodInfo info{"notifications/prompts/list_changed", to_client, first,
                                     newest_version, Capability::prompts_list_changed};
};

struct ResourceListChanged : NotificationMethod<EmptyParams> {
    static constexpr MethodInfo info{"notifications/resources/list_changed", to_client, first,
                                     newest_version, Capability::resources_list_changed};
};

struct ResourceUpdated : NotificationMethod<ResourceUpdatedParams> {
    static constexpr MethodInfo info{"notifications/resources/updated", to_client, first,
                                     newest_version, Capability::resources_subscribe};
};

struct RootsListChanged : NotificationMethod<EmptyParams> {
    static constexpr MethodInfo info{"notifications/roots/list_changed", to_server, first,
                                     newest_legacy_version, Capability::roots_list_changed};
};

struct ElicitationComplete : NotificationMethod<ElicitationCompleteParams> {
    static constexpr MethodInfo info{"notifications/elicitation/complete", to_client,
                                     Version::v2025_11_25, newest_legacy_version, Capability::none};
};

struct TaskStatusChanged : NotificationMethod<TaskStatusParams> {
    static constexpr MethodInfo info{"notifications/tasks/status", Direction::both,
                                     Version::v2025_11_25, newest_legacy_version,
                                     Capability::tasks};
};

struct TaskChanged : NotificationMethod<TaskStatusParams> {
    static constexpr MethodInfo info{"notifications/tasks", to_client, Version::v2026_07_28,
                                     newest_version, Capability::tasks_extension};
};

struct SubscriptionsAcknowledged : NotificationMethod<SubscriptionsAcknowledgedParams> {
    static constexpr MethodInfo info{"notifications/subscriptions/acknowledged", to_client,
                                     Version::v2026_07_28, newest_version, Capability::none};
};

}  // namespace methods

using AllRequests =
    std::tuple<methods::Initialize, methods::Ping, methods::Discover, methods::ListTools,
               methods::CallTool, methods::ListResources, methods::ListResourceTemplates,
               methods::ReadResource, methods::Subscribe, methods::Unsubscribe,
               methods::ListPrompts, methods::GetPrompt, methods::Complete, methods::SetLevel,
               methods::ListRoots, methods::CreateMessage, methods::Elicit, methods::GetTask,
               methods::GetTaskPayload, methods::ListTasks, methods::CancelTask,
               methods::UpdateTask, methods::SubscriptionsListen>;

using AllNotifications =
    std::tuple<methods::Initialized, methods::Cancelled, methods::Progress, methods::LoggingMessage,
               methods::ToolListChanged, methods::PromptListChanged, methods::ResourceListChanged,
               methods::ResourceUpdated, methods::RootsListChanged, methods::ElicitationComplete,
               methods::TaskStatusChanged, methods::TaskChanged,
               methods::SubscriptionsAcknowledged>;

}  // namespace lanyard
