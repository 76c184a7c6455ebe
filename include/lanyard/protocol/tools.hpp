// Tools: listing and calling (MCP specification, server/tools).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/protocol/cache.hpp>
#include <lanyard/protocol/content.hpp>
#include <lanyard/protocol/input_required.hpp>
#include <lanyard/protocol/task_metadata.hpp>
#include <lanyard/protocol/tool.hpp>

namespace lanyard {

using ListToolsParams = PaginatedParams;

struct ListToolsResult {
    std::vector<Tool> tools{};
    std::optional<Cursor> next_cursor{};
    CacheHint cache{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ListToolsResult const&) const = default;
};

struct CallToolParams {
    std::string name{};
    /// A JSON object; empty if the call has no arguments.
    RawJson arguments{};
    /// Set to run the call as a task (only in protocol revision 2025-11-25).
    std::optional<TaskMetadata> task{};
    InputRetry retry{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(CallToolParams const&) const = default;
};

struct CallToolResult {
    std::vector<ContentBlock> content{};
    RawJson structured_content{};  ///< absent if empty
    bool is_error = false;
    Meta meta{};
    JsonObject extra{};

    /// A result with one text block.
    static CallToolResult text(std::string text);
    /// A failed result (is_error), whose text block tells the model what went wrong.
    static CallToolResult error(std::string text);
    /// A result with one image. Takes the bytes of an image file, not encoded, and the MIME type,
    /// such as "image/png".
    static CallToolResult image(std::span<std::byte const> bytes, std::string mime_type);
    static CallToolResult image(std::string_view bytes, std::string mime_type);

    bool operator==(CallToolResult const&) const = default;
};

}  // namespace lanyard
