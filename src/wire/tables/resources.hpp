// Wire tables of resources.
#pragma once

#include "lanyard/protocol/resources.hpp"
#include "wire/tables/content.hpp"
#include "wire/tables/input_required.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<ResourceTemplate> = describe<ResourceTemplate>(
    "ResourceTemplate", field<&ResourceTemplate::uri_template>("uriTemplate"),
    field<&ResourceTemplate::name>("name"),
    field<&ResourceTemplate::title>("title", omit_empty, wire::from(Feature::titles)),
    field<&ResourceTemplate::description>("description", omit_empty),
    field<&ResourceTemplate::mime_type>("mimeType", omit_empty),
    field<&ResourceTemplate::icons>("icons", omit_empty, wire::from(Feature::icons)),
    field<&ResourceTemplate::annotations>("annotations"),
    wire::meta<&ResourceTemplate::meta>(wire::from(Feature::meta_on_types)),
    rest<&ResourceTemplate::extra>());

template <>
inline constexpr auto description<ListResourcesResult> = describe<ListResourcesResult>(
    "resources/list result", wire::complete<ListResourcesResult>(),
    wire::entries<&ListResourcesResult::resources>("resources"),
    field<&ListResourcesResult::next_cursor>("nextCursor"),
    wire::cache_ttl<&ListResourcesResult::cache>(),
    wire::cache_scope<&ListResourcesResult::cache>(), wire::meta<&ListResourcesResult::meta>(),
    rest<&ListResourcesResult::extra>());

template <>
inline constexpr auto description<ListResourceTemplatesResult> =
    describe<ListResourceTemplatesResult>(
        "resources/templates/list result", wire::complete<ListResourceTemplatesResult>(),
        wire::entries<&ListResourceTemplatesResult::resource_templates>("resourceTemplates"),
        field<&ListResourceTemplatesResult::next_cursor>("nextCursor"),
        wire::cache_ttl<&ListResourceTemplatesResult::cache>(),
        wire::cache_scope<&ListResourceTemplatesResult::cache>(),
        wire::meta<&ListResourceTemplatesResult::meta>(),
        rest<&ListResourceTemplatesResult::extra>());

template <>
inline constexpr auto description<ResourceParams> =
    describe<ResourceParams>("params", field<&ResourceParams::uri>("uri"),
                             wire::meta<&ResourceParams::meta>(), rest<&ResourceParams::extra>());

template <>
inline constexpr auto description<ReadResourceParams> = describe<ReadResourceParams>(
    "resources/read params", field<&ReadResourceParams::uri>("uri"),
    wire::input_responses<&ReadResourceParams::retry>(),
    wire::request_state<&ReadResourceParams::retry>(), wire::meta<&ReadResourceParams::meta>(),
    rest<&ReadResourceParams::extra>());

template <>
inline constexpr auto description<ReadResourceResult> = describe<ReadResourceResult>(
    "resources/read result", wire::complete<ReadResourceResult>(),
    field<&ReadResourceResult::contents>("contents"), wire::cache_ttl<&ReadResourceResult::cache>(),
    wire::cache_scope<&ReadResourceResult::cache>(), wire::meta<&ReadResourceResult::meta>(),
    rest<&ReadResourceResult::extra>());

}  // namespace lanyard::reflect
