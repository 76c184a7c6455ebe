// Sampling: asking the client's model (MCP specification, client/sampling).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lanyard/protocol/content.hpp>
#include <lanyard/protocol/task_metadata.hpp>
#include <lanyard/protocol/tool.hpp>

namespace lanyard {

struct ModelHint {
    std::string name{};  ///< a substring of a model's name

    bool operator==(ModelHint const&) const = default;
};

/// Preferences for the choice of the model. Priorities are between 0 and 1; hints take precedence
/// over priorities.
struct ModelPreferences {
    std::vector<ModelHint> hints{};
    std::optional<double> cost_priority{};
    std::optional<double> speed_priority{};
    std::optional<double> intelligence_priority{};

    bool operator==(ModelPreferences const&) const = default;
};

enum class ToolChoiceMode { auto_, required, none };

template <>
struct EnumNames<ToolChoiceMode> {
    static constexpr std::array<std::string_view, 3> value{"auto", "required", "none"};
};

struct ToolChoice {
    std::optional<ToolChoiceMode> mode{};  ///< absent means auto

    bool operator==(ToolChoice const&) const = default;
};

enum class IncludeContext { none, this_server, all_servers };

template <>
struct EnumNames<IncludeContext> {
    static constexpr std::array<std::string_view, 3> value{"none", "thisServer", "allServers"};
};

struct SamplingMessage {
    Role role = Role::user;
    /// The blocks of the message. Protocol revisions before 2025-11-25 allow exactly one block.
    std::vector<SamplingMessageContentBlock> content{};
    Meta meta{};

    bool operator==(SamplingMessage const&) const = default;
};

struct CreateMessageParams {
    std::vector<SamplingMessage> messages{};
    std::int64_t max_tokens = 0;
    std::optional<ModelPreferences> model_preferences{};
    std::string system_prompt{};
    std::optional<IncludeContext> include_context{};
    std::optional<double> temperature{};
    std::vector<std::string> stop_sequences{};
    std::optional<JsonObject> metadata{};     ///< for the model's provider
    std::vector<Tool> tools{};                ///< since revision 2025-11-25; needs sampling.tools
    std::optional<ToolChoice> tool_choice{};  ///< since revision 2025-11-25; needs sampling.tools
    std::optional<TaskMetadata> task{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(CreateMessageParams const&) const = default;
};

/// Values of CreateMessageResult::stop_reason that the protocol defines; other values are allowed.
namespace stop_reason {
inline constexpr std::string_view end_turn = "endTurn";
inline constexpr std::string_view stop_sequence = "stopSequence";
inline constexpr std::string_view max_tokens = "maxTokens";
inline constexpr std::string_view tool_use = "toolUse";
}  // namespace stop_reason

struct CreateMessageResult {
    Role role = Role::assistant;
    std::vector<SamplingMessageContentBlock> content{};
    std::string model{};
    std::string stop_reason{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(CreateMessageResult const&) const = default;
};

}  // namespace lanyard
