// Prompts: listing and getting (MCP specification, server/prompts).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <lanyard/protocol/cache.hpp>
#include <lanyard/protocol/content.hpp>
#include <lanyard/protocol/input_required.hpp>

namespace lanyard {

struct PromptArgument {
    std::string name{};
    std::string title{};
    std::string description{};
    bool required = false;
    JsonObject extra{};  ///< unknown members

    bool operator==(PromptArgument const&) const = default;
};

struct Prompt {
    std::string name{};
    std::string title{};
    std::string description{};
    std::vector<PromptArgument> arguments{};
    std::vector<Icon> icons{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(Prompt const&) const = default;
};

struct PromptMessage {
    Role role = Role::user;
    ContentBlock content{};
    JsonObject extra{};

    bool operator==(PromptMessage const&) const = default;
};

using ListPromptsParams = PaginatedParams;

struct ListPromptsResult {
    std::vector<Prompt> prompts{};
    std::optional<Cursor> next_cursor{};
    CacheHint cache{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ListPromptsResult const&) const = default;
};

struct GetPromptParams {
    std::string name{};
    std::map<std::string, std::string> arguments{};
    InputRetry retry{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(GetPromptParams const&) const = default;
};

struct GetPromptResult {
    std::string description{};
    std::vector<PromptMessage> messages{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(GetPromptResult const&) const = default;
};

}  // namespace lanyard
