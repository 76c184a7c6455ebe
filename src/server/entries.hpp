// What a server keeps of each feature: the description peers see, the handler and the checks.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

#include "lanyard/schema.hpp"
#include "lanyard/server/tool.hpp"
#include "server/dispatch_stats.hpp"

namespace lanyard::server {

/// A call keeps its entry with shared_from_this(), so that a feature may be removed meanwhile.
struct ToolEntry : std::enable_shared_from_this<ToolEntry> {
    using Value = Tool;

    Tool tool;
    ToolFunction function;
    ToolOptions options;
    std::optional<schema::Validator> input;   ///< checked before the handler runs, where set
    std::optional<schema::Validator> output;  ///< checked afterwards, where set
    mutable std::atomic<bool> enabled = true;
    mutable DispatchStats stats;

    Tool const& value() const noexcept { return tool; }
    bool listed() const noexcept { return enabled; }
};

inline std::string_view key_of(Tool const& tool) noexcept {
    return tool.name;
}

/// How far the schemas of a tool are known to hold without looking.
enum class Typing {
    typed,    ///< the schemas were made from the types of the handler
    dynamic,  ///< they are the user's own
};

/// Checks and compiles what was registered. Throws Error (invalid_argument) that names the tool and
/// what is wrong with it.
std::shared_ptr<ToolEntry const> make_tool_entry(Tool tool, ToolFunction function,
                                                 ToolOptions options, Typing typing);

/// Throws ToolError (invalid_arguments) where the arguments break the schema.
void check_arguments(ToolEntry const& entry, json::View arguments);

/// Throws ToolError (schema_invalid) where the output breaks the schema or is missing. A result
/// that reports an error need not conform (T-14).
void check_output(ToolEntry const& entry, ToolReply const& reply);

}  // namespace lanyard::server
