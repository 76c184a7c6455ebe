// Wire tables of tools.
#pragma once

#include "lanyard/protocol/tools.hpp"
#include "wire/tables/content.hpp"
#include "wire/tables/input_required.hpp"
#include "wire/tables/tool.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<ListToolsResult> = describe<ListToolsResult>(
    "tools/list result", wire::complete<ListToolsResult>(),
    wire::entries<&ListToolsResult::tools>("tools"),
    field<&ListToolsResult::next_cursor>("nextCursor"), wire::cache_ttl<&ListToolsResult::cache>(),
    wire::cache_scope<&ListToolsResult::cache>(), wire::meta<&ListToolsResult::meta>(),
    rest<&ListToolsResult::extra>());

template <>
inline constexpr auto description<CallToolParams> = describe<CallToolParams>(
    "tools/call params", field<&CallToolParams::name>("name"),
    // Nullable, because some clients write null for an empty map.
    wire::raw_object<&CallToolParams::arguments>("arguments", nullable),
    field<&CallToolParams::task>("task", wire::from(Feature::core_tasks),
                                 wire::upto(Feature::core_tasks)),
    wire::input_responses<&CallToolParams::retry>(), wire::request_state<&CallToolParams::retry>(),
    wire::meta<&CallToolParams::meta>(), rest<&CallToolParams::extra>());

template <>
inline constexpr auto description<CallToolResult> =
    describe<CallToolResult>("tools/call result", wire::complete<CallToolResult>(),
                             field<&CallToolResult::content>("content"),
                             wire::wrapped_output<&CallToolResult::structured_content>(
                                 "structuredContent", until{wire::v2025_11_25}),
                             field<&CallToolResult::structured_content>(
                                 "structuredContent", wire::from(Feature::any_structured_output)),
                             wire::flag<&CallToolResult::is_error>("isError"),
                             wire::meta<&CallToolResult::meta>(), rest<&CallToolResult::extra>());

}  // namespace lanyard::reflect
