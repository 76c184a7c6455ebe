// The data of each feature of a server: the description that peers see, the handler and the checks.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "lanyard/schema.hpp"
#include "lanyard/server/completion.hpp"
#include "lanyard/server/prompt.hpp"
#include "lanyard/server/resource.hpp"
#include "lanyard/server/tool.hpp"
#include "server/catalog/dispatch_stats.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::server {

// A call keeps its entry alive with shared_from_this(), so that a feature may be removed during the
// call.

struct ToolEntry : std::enable_shared_from_this<ToolEntry> {
    using Value = Tool;

    Tool tool;
    ToolFunction function;
    ToolOptions options;
    /// Checks the arguments, if set.
    std::optional<schema::Validator> input;
    /// The names of arguments that may be absent but must not be null. Empty if `input` is not set,
    /// because decoding then handles nulls.
    std::vector<std::string> never_null;
    /// Checks the result, if set.
    std::optional<schema::Validator> output;
    /// Arguments that a client repeats in HTTP headers (`x-mcp-header`).
    std::vector<wire::ParamHeader> headers;
    mutable std::atomic<bool> enabled = true;
    mutable DispatchStats stats;

    Tool const& value() const noexcept { return tool; }
    bool listed() const noexcept { return enabled; }
};

struct ResourceEntry : std::enable_shared_from_this<ResourceEntry> {
    using Value = Resource;

    Resource resource;
    ResourceFunction function;
    ResourceOptions options;
    mutable DispatchStats stats;

    Resource const& value() const noexcept { return resource; }
    bool listed() const noexcept { return true; }
};

struct TemplateEntry : std::enable_shared_from_this<TemplateEntry> {
    using Value = ResourceTemplate;

    TemplateEntry(ResourceTemplate described, UriTemplate parsed)
        : resource_template(std::move(described)), uri_template(std::move(parsed)) {}

    ResourceTemplate resource_template;
    UriTemplate uri_template;
    ResourceFunction function;
    ResourceOptions options;
    mutable DispatchStats stats;

    ResourceTemplate const& value() const noexcept { return resource_template; }
    bool listed() const noexcept { return true; }
};

struct PromptEntry : std::enable_shared_from_this<PromptEntry> {
    using Value = Prompt;

    Prompt prompt;
    PromptFunction function;
    PromptOptions options;
    mutable DispatchStats stats;

    Prompt const& value() const noexcept { return prompt; }
    bool listed() const noexcept { return true; }
};

struct CompletionEntry : std::enable_shared_from_this<CompletionEntry> {
    CompletionFunction function;
    mutable DispatchStats stats;
};

inline std::string_view key_of(Tool const& tool) noexcept {
    return tool.name;
}
inline std::string_view key_of(Resource const& resource) noexcept {
    return resource.uri;
}
inline std::string_view key_of(ResourceTemplate const& value) noexcept {
    return value.uri_template;
}
inline std::string_view key_of(Prompt const& prompt) noexcept {
    return prompt.name;
}

/// Where the schemas of a tool come from.
enum class Typing {
    typed,    ///< the schemas were generated from the types of the handler
    dynamic,  ///< the user provided the schemas
};

// These functions check a registration and compile its schemas. They throw Error
// (invalid_argument), which names the feature and the mistake.

std::shared_ptr<ToolEntry const> make_tool_entry(Tool tool, ToolFunction function,
                                                 ToolOptions options, Typing typing);
std::shared_ptr<ResourceEntry const> make_resource_entry(Resource resource,
                                                         ResourceFunction function,
                                                         ResourceOptions options);
std::shared_ptr<TemplateEntry const> make_template_entry(ResourceTemplate resource_template,
                                                         ResourceFunction function,
                                                         ResourceOptions options);
std::shared_ptr<PromptEntry const> make_prompt_entry(Prompt prompt, PromptFunction function,
                                                     PromptOptions options);

// These functions return whether the names and URIs have the form that the protocol requires.
// Features for which they return false are hidden from peers.

bool is_legal(Tool const& tool);
bool is_legal(Resource const& resource);
bool is_legal(ResourceTemplate const& resource_template);
bool is_legal(Prompt const& prompt);

/// Arguments that were changed, so they are stored apart from the received message.
struct OwnArguments {
    std::string text;
    json::Document document;
    std::optional<json::View> root;
};

/// Removes arguments that are null although they must not be null (ToolEntry::never_null). Returns
/// the remaining arguments, or an empty pointer if nothing had to be removed.
std::unique_ptr<OwnArguments> without_nulls(ToolEntry const& entry, json::View arguments);

/// Throws ToolError (invalid_arguments) if the arguments violate the schema.
void check_arguments(ToolEntry const& entry, json::View arguments);

/// Throws ToolError (schema_invalid) if the output violates the schema or is missing. A result that
/// reports an error need not conform.
void check_output(ToolEntry const& entry, ToolReply const& reply);

/// Throws DecodeError if a required argument is missing.
void check_arguments(PromptEntry const& entry, PromptArguments const& arguments);

}  // namespace lanyard::server
