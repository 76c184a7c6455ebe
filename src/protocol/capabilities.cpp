// Lookup of capabilities.
#include "lanyard/protocol/capabilities.hpp"

namespace lanyard {
namespace {

bool tasks_capability(std::optional<TasksCapability> const& tasks, Capability capability) noexcept {
    if (!tasks) return false;
    switch (capability) {
        case Capability::tasks_list:
            return tasks->list.has_value();
        case Capability::tasks_cancel:
            return tasks->cancel.has_value();
        case Capability::tasks_tools_call:
            return tasks->allows("tools/call");
        case Capability::tasks_sampling:
            return tasks->allows("sampling/createMessage");
        case Capability::tasks_elicitation:
            return tasks->allows("elicitation/create");
        default:
            return true;
    }
}

}  // namespace

bool TasksCapability::allows(std::string_view method) const noexcept {
    auto const slash = method.find('/');
    if (slash == std::string_view::npos) return false;
    auto const* group = requests.if_contains(method.substr(0, slash));
    auto const* members = group != nullptr ? group->if_object() : nullptr;
    return members != nullptr && members->contains(method.substr(slash + 1));
}

void TasksCapability::allow(std::string_view method) {
    auto const slash = method.find('/');
    if (slash == std::string_view::npos) return;
    auto& group = requests[method.substr(0, slash)];
    if (!group.is_object()) group.emplace_object();
    group.get_object()[method.substr(slash + 1)].emplace_object();
}

bool has_capability(ClientCapabilities const& declared, Capability capability) noexcept {
    auto const& sampling = declared.sampling;
    auto const& elicitation = declared.elicitation;
    switch (capability) {
        case Capability::none:
            return true;
        case Capability::roots:
            return declared.roots.has_value();
        case Capability::roots_list_changed:
            return declared.roots && declared.roots->list_changed;
        case Capability::sampling:
            return sampling.has_value();
        case Capability::sampling_tools:
            return sampling && sampling->tools.has_value();
        case Capability::sampling_context:
            return sampling && sampling->context.has_value();
        case Capability::elicitation:
            return elicitation.has_value();
        case Capability::elicitation_form:
            return elicitation && elicitation->allows_form();
        case Capability::elicitation_url:
            return elicitation && elicitation->allows_url();
        case Capability::tasks:
        case Capability::tasks_list:
        case Capability::tasks_cancel:
        case Capability::tasks_sampling:
        case Capability::tasks_elicitation:
            return tasks_capability(declared.tasks, capability);
        case Capability::tasks_extension:
            return declared.extensions.contains(tasks_extension_id);
        default:
            return false;
    }
}

bool has_capability(ServerCapabilities const& declared, Capability capability) noexcept {
    auto const& resources = declared.resources;
    switch (capability) {
        case Capability::none:
            return true;
        case Capability::tools:
            return declared.tools.has_value();
        case Capability::tools_list_changed:
            return declared.tools && declared.tools->list_changed;
        case Capability::resources:
            return resources.has_value();
        case Capability::resources_subscribe:
            return resources && resources->subscribe;
        case Capability::resources_list_changed:
            return resources && resources->list_changed;
        case Capability::prompts:
            return declared.prompts.has_value();
        case Capability::prompts_list_changed:
            return declared.prompts && declared.prompts->list_changed;
        case Capability::completions:
            return declared.completions.has_value();
        case Capability::logging:
            return declared.logging.has_value();
        case Capability::tasks:
        case Capability::tasks_list:
        case Capability::tasks_cancel:
        case Capability::tasks_tools_call:
            return tasks_capability(declared.tasks, capability);
        case Capability::tasks_extension:
            return declared.extensions.contains(tasks_extension_id);
        default:
            return false;
    }
}

}  // namespace lanyard
