// The capabilities of each side. A capability is supported if its object is present (MCP
// specification, basic/lifecycle, schema ClientCapabilities and ServerCapabilities).
#pragma once

#include <optional>
#include <string_view>

#include <lanyard/json/document.hpp>
#include <lanyard/protocol/enum_names.hpp>

namespace lanyard {

/// A capability that is supported if the object is present. The object's members are settings that
/// this library does not interpret.
using CapabilityFlag = std::optional<JsonObject>;

struct RootsCapability {
    bool list_changed = false;
    JsonObject extra{};

    bool operator==(RootsCapability const&) const = default;
};

struct SamplingCapability {
    CapabilityFlag context{};
    CapabilityFlag tools{};
    JsonObject extra{};

    bool operator==(SamplingCapability const&) const = default;
};

struct ElicitationCapability {
    CapabilityFlag form{};
    CapabilityFlag url{};
    JsonObject extra{};

    /// Whether forms are supported. They are if the capability object contains `form`, and also if
    /// it contains neither `form` nor `url`.
    bool allows_form() const noexcept { return form.has_value() || !url.has_value(); }
    bool allows_url() const noexcept { return url.has_value(); }

    bool operator==(ElicitationCapability const&) const = default;
};

/// Task-augmented requests of protocol revision 2025-11-25. `requests` lists the methods that may
/// become tasks, for example {"tools":{"call":{}}}.
struct TasksCapability {
    CapabilityFlag list{};
    CapabilityFlag cancel{};
    JsonObject requests{};
    JsonObject extra{};

    /// Whether requests of this method may be sent as tasks. For example, "tools/call" requires the
    /// member `requests.tools.call`.
    bool allows(std::string_view method) const noexcept;
    /// Adds the method to `requests`.
    void allow(std::string_view method);

    bool operator==(TasksCapability const&) const = default;
};

struct ClientCapabilities {
    std::optional<RootsCapability> roots{};
    std::optional<SamplingCapability> sampling{};
    std::optional<ElicitationCapability> elicitation{};
    std::optional<TasksCapability> tasks{};
    JsonObject experimental{};  ///< name -> settings object
    JsonObject extensions{};    ///< maps the id of an extension to its settings
    JsonObject extra{};         ///< unknown capabilities

    bool operator==(ClientCapabilities const&) const = default;
};

/// The capability `prompts` or `tools` of a server.
struct ListCapability {
    bool list_changed = false;
    JsonObject extra{};

    bool operator==(ListCapability const&) const = default;
};

struct ResourcesCapability {
    bool subscribe = false;
    bool list_changed = false;
    JsonObject extra{};

    bool operator==(ResourcesCapability const&) const = default;
};

struct ServerCapabilities {
    CapabilityFlag logging{};
    CapabilityFlag completions{};
    std::optional<ListCapability> prompts{};
    std::optional<ResourcesCapability> resources{};
    std::optional<ListCapability> tools{};
    std::optional<TasksCapability> tasks{};
    JsonObject experimental{};
    JsonObject extensions{};
    JsonObject extra{};

    bool operator==(ServerCapabilities const&) const = default;
};

/// A capability that a method or a notification can require.
enum class Capability {
    none,
    tools,
    tools_list_changed,
    resources,
    resources_subscribe,
    resources_list_changed,
    prompts,
    prompts_list_changed,
    completions,
    logging,
    roots,
    roots_list_changed,
    sampling,
    sampling_tools,
    sampling_context,
    elicitation,
    elicitation_form,
    elicitation_url,
    tasks,
    tasks_list,
    tasks_cancel,
    tasks_tools_call,
    tasks_sampling,
    tasks_elicitation,
    tasks_extension,
};

template <>
struct EnumNames<Capability> {
    static constexpr std::array<std::string_view, 25> value{
        "none",
        "tools",
        "tools.listChanged",
        "resources",
        "resources.subscribe",
        "resources.listChanged",
        "prompts",
        "prompts.listChanged",
        "completions",
        "logging",
        "roots",
        "roots.listChanged",
        "sampling",
        "sampling.tools",
        "sampling.context",
        "elicitation",
        "elicitation.form",
        "elicitation.url",
        "tasks",
        "tasks.list",
        "tasks.cancel",
        "tasks.requests.tools.call",
        "tasks.requests.sampling.createMessage",
        "tasks.requests.elicitation.create",
        "extensions.io.modelcontextprotocol/tasks",
    };
};

/// The id of the tasks extension of protocol revision 2026-07-28.
inline constexpr std::string_view tasks_extension_id = "io.modelcontextprotocol/tasks";

/// Whether the client or server has declared the capability. Always false for a capability that
/// only the other side can declare.
bool has_capability(ClientCapabilities const& declared, Capability capability) noexcept;
bool has_capability(ServerCapabilities const& declared, Capability capability) noexcept;

}  // namespace lanyard
