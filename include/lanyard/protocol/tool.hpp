// The definition of a tool: its schemas, hints and execution mode (MCP specification,
// server/tools).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/protocol/base.hpp>

namespace lanyard {

/// Hints about a tool's behaviour; not to be trusted unless the server is trusted.
struct ToolAnnotations {
    std::string title{};
    std::optional<bool> read_only_hint{};    ///< absent means false
    std::optional<bool> destructive_hint{};  ///< absent means true
    std::optional<bool> idempotent_hint{};   ///< absent means false
    std::optional<bool> open_world_hint{};   ///< absent means true
    JsonObject extra{};                      ///< unknown members

    bool operator==(ToolAnnotations const&) const = default;
};

/// Whether a tool may or must be called as a task (only in protocol revision 2025-11-25).
enum class TaskSupport { forbidden, optional, required };

template <>
struct EnumNames<TaskSupport> {
    static constexpr std::array<std::string_view, 3> value{"forbidden", "optional", "required"};
};

struct ToolExecution {
    std::optional<TaskSupport> task_support{};  ///< absent means forbidden

    bool operator==(ToolExecution const&) const = default;
};

struct Tool {
    std::string name{};
    std::string title{};
    std::string description{};
    RawJson input_schema{};   ///< a JSON Schema with "type": "object" at its root
    RawJson output_schema{};  ///< absent if empty
    std::optional<ToolAnnotations> annotations{};
    std::optional<ToolExecution> execution{};
    std::vector<Icon> icons{};
    Meta meta{};
    JsonObject extra{};

    /// The name to display: the title if set, otherwise the title of the annotations, otherwise the
    /// name.
    std::string const& display_name() const noexcept {
        if (!title.empty()) return title;
        if (annotations && !annotations->title.empty()) return annotations->title;
        return name;
    }

    bool operator==(Tool const&) const = default;
};

}  // namespace lanyard
