// Resources: listing, templates, reading, subscribing (MCP specification, server/resources).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <lanyard/protocol/cache.hpp>
#include <lanyard/protocol/content.hpp>
#include <lanyard/protocol/input_required.hpp>

namespace lanyard {

struct ResourceTemplate {
    std::string uri_template{};  ///< RFC 6570
    std::string name{};
    std::string title{};
    std::string description{};
    std::string mime_type{};  ///< set only if all matching resources have this type
    std::vector<Icon> icons{};
    std::optional<Annotations> annotations{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ResourceTemplate const&) const = default;
};

using ListResourcesParams = PaginatedParams;

struct ListResourcesResult {
    std::vector<Resource> resources{};
    std::optional<Cursor> next_cursor{};
    CacheHint cache{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ListResourcesResult const&) const = default;
};

using ListResourceTemplatesParams = PaginatedParams;

struct ListResourceTemplatesResult {
    std::vector<ResourceTemplate> resource_templates{};
    std::optional<Cursor> next_cursor{};
    CacheHint cache{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ListResourceTemplatesResult const&) const = default;
};

/// Parameters that name one resource.
struct ResourceParams {
    std::string uri{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ResourceParams const&) const = default;
};

using SubscribeParams = ResourceParams;
using UnsubscribeParams = ResourceParams;
using ResourceUpdatedParams = ResourceParams;

struct ReadResourceParams {
    std::string uri{};
    InputRetry retry{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ReadResourceParams const&) const = default;
};

struct ReadResourceResult {
    std::vector<ResourceContents> contents{};
    CacheHint cache{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ReadResourceResult const&) const = default;
};

}  // namespace lanyard
