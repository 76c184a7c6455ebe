#include "protocol/capability_check.hpp"

#include <string>

#include <lanyard/json/writer.hpp>
#include <lanyard/protocol/features.hpp>

namespace lanyard::protocol {
namespace {

Result<void> missing(Capability capability, std::string_view side, std::string_view what) {
    auto const name = to_string(capability);
    std::string message;
    message.append("the ").append(side).append(" has not declared the capability \"").append(name);
    message.append("\" that ").append(what).append(" needs");
    std::string data;
    json::Writer(data).begin_object().key("capability").string(name).end_object();
    return Unexpected(Error(Errc::capability_missing, std::move(message), std::move(data)));
}

Result<void> need(ServerCapabilities const& server, Capability capability, std::string_view what) {
    if (has_capability(server, capability)) return {};
    return missing(capability, "server", what);
}

Result<void> need(ClientCapabilities const& client, Capability capability, std::string_view what) {
    if (has_capability(client, capability)) return {};
    return missing(capability, "client", what);
}

}  // namespace

Capability required_capability(MethodInfo const& method, Version version) noexcept {
    auto const needed = method.capability;
    if (needed == Capability::completions && !supports(Feature::completions_capability, version)) {
        return Capability::none;
    }
    if ((needed == Capability::tasks || needed == Capability::tasks_cancel) &&
        supports(Feature::tasks_extension, version)) {
        return Capability::tasks_extension;
    }
    return needed;
}

Result<void> check_capability(MethodInfo const& method, ServerCapabilities const& server,
                              Version version) {
    return need(server, required_capability(method, version), method.name);
}

Result<void> check_capability(MethodInfo const& method, ClientCapabilities const& client,
                              Version version) {
    return need(client, required_capability(method, version), method.name);
}

Result<void> check_capability(CallToolParams const& params, ServerCapabilities const& server) {
    if (!params.task) return {};
    return need(server, Capability::tasks_tools_call, "a tool call as a task");
}

Result<void> check_capability(CreateMessageParams const& params, ClientCapabilities const& client,
                              Version version) {
    if (!params.tools.empty() || params.tool_choice) {
        auto allowed = need(client, Capability::sampling_tools, "sampling with tools");
        if (!allowed) return allowed;
    }
    // Including context needs a capability only in the revisions that have Feature::sampling_tools.
    // In earlier revisions, a server may always ask for it.
    if (params.include_context.value_or(IncludeContext::none) != IncludeContext::none &&
        supports(Feature::sampling_tools, version)) {
        auto allowed = need(client, Capability::sampling_context, "includeContext");
        if (!allowed) return allowed;
    }
    if (!params.task) return {};
    return need(client, Capability::tasks_sampling, "sampling as a task");
}

Result<void> check_capability(ElicitParams const& params, ClientCapabilities const& client) {
    bool const form = std::holds_alternative<ElicitFormParams>(params);
    auto allowed = need(client, form ? Capability::elicitation_form : Capability::elicitation_url,
                        form ? "elicitation by form" : "elicitation by URL");
    if (!allowed) return allowed;
    bool const task = std::visit([](auto const& mode) { return mode.task.has_value(); }, params);
    if (!task) return {};
    return need(client, Capability::tasks_elicitation, "elicitation as a task");
}

Result<void> check_capability(SubscriptionFilter const& filter, ServerCapabilities const& server) {
    struct Wish {
        bool present;
        Capability capability;
        std::string_view what;
    };
    Wish const wishes[] = {
        {filter.tools_list_changed, Capability::tools_list_changed, "toolsListChanged"},
        {filter.prompts_list_changed, Capability::prompts_list_changed, "promptsListChanged"},
        {filter.resources_list_changed, Capability::resources_list_changed, "resourcesListChanged"},
        {!filter.resource_subscriptions.empty(), Capability::resources_subscribe,
         "resourceSubscriptions"},
        {!filter.task_ids.empty(), Capability::tasks_extension, "taskIds"},
    };
    for (auto const& wish : wishes) {
        if (!wish.present) continue;
        auto allowed = need(server, wish.capability, wish.what);
        if (!allowed) return allowed;
    }
    return {};
}

}  // namespace lanyard::protocol
