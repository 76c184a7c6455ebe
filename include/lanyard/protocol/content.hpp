// Content blocks of tool results, prompts and sampling messages (MCP specification, server/tools,
// server/prompts, client/sampling).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/protocol/base.hpp>

namespace lanyard {

struct TextContent {
    std::string text{};
    std::optional<Annotations> annotations{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(TextContent const&) const = default;
};

struct ImageContent {
    std::string data{};  ///< base64
    std::string mime_type{};
    std::optional<Annotations> annotations{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ImageContent const&) const = default;
};

/// Since protocol revision 2025-03-26.
struct AudioContent {
    std::string data{};  ///< base64
    std::string mime_type{};
    std::optional<Annotations> annotations{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(AudioContent const&) const = default;
};

/// Data of a server that a client can read by its URI.
struct Resource {
    std::string uri{};
    std::string name{};
    std::string title{};
    std::string description{};
    std::string mime_type{};
    std::optional<std::int64_t> size{};  ///< bytes, before base64
    std::vector<Icon> icons{};
    std::optional<Annotations> annotations{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(Resource const&) const = default;
};

/// A reference to a resource, without its contents; the resource need not be in the result of
/// resources/list. Since protocol revision 2025-06-18.
struct ResourceLink {
    Resource resource{};

    bool operator==(ResourceLink const&) const = default;
};

struct TextResourceContents {
    std::string uri{};
    std::string mime_type{};
    std::string text{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(TextResourceContents const&) const = default;
};

struct BlobResourceContents {
    std::string uri{};
    std::string mime_type{};
    std::string blob{};  ///< base64
    Meta meta{};
    JsonObject extra{};

    bool operator==(BlobResourceContents const&) const = default;
};

using ResourceContents = std::variant<TextResourceContents, BlobResourceContents>;

/// A resource included with its contents.
struct EmbeddedResource {
    ResourceContents resource{};
    std::optional<Annotations> annotations{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(EmbeddedResource const&) const = default;
};

/// A content block of a kind that is unknown, or that the protocol does not allow at this position.
/// The block is kept and written unchanged.
struct UnknownContent {
    RawJson json{};  ///< an object with the member "type"

    bool operator==(UnknownContent const&) const = default;
};

/// One block of a tool result or a prompt message.
using ContentBlock = std::variant<TextContent, ImageContent, AudioContent, ResourceLink,
                                  EmbeddedResource, UnknownContent>;

/// A model's request to call a tool, in a sampling conversation. Since protocol revision
/// 2025-11-25.
struct ToolUseContent {
    std::string id{};
    std::string name{};
    RawJson input{};  ///< an object
    Meta meta{};

    bool operator==(ToolUseContent const&) const = default;
};

/// The result of a tool call that a ToolUseContent requested. Since protocol revision 2025-11-25.
struct ToolResultContent {
    std::string tool_use_id{};
    std::vector<ContentBlock> content{};
    RawJson structured_content{};  ///< absent if empty
    bool is_error = false;
    Meta meta{};

    bool operator==(ToolResultContent const&) const = default;
};

/// One block of a sampling message.
using SamplingMessageContentBlock = std::variant<TextContent, ImageContent, AudioContent,
                                                 ToolUseContent, ToolResultContent, UnknownContent>;

}  // namespace lanyard
