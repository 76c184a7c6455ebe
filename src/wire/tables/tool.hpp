// Wire tables of a tool's description, and of the metadata for calling a tool as a task.
#pragma once

#include "lanyard/protocol/task_metadata.hpp"
#include "lanyard/protocol/tool.hpp"
#include "wire/tables/base.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<TaskMetadata> =
    describe<TaskMetadata>("task", wire::in_milliseconds(field<&TaskMetadata::ttl>("ttl")));

template <>
inline constexpr auto description<ToolAnnotations> = describe<ToolAnnotations>(
    "annotations", field<&ToolAnnotations::title>("title", omit_empty),
    field<&ToolAnnotations::read_only_hint>("readOnlyHint"),
    field<&ToolAnnotations::destructive_hint>("destructiveHint"),
    field<&ToolAnnotations::idempotent_hint>("idempotentHint"),
    field<&ToolAnnotations::open_world_hint>("openWorldHint"), rest<&ToolAnnotations::extra>());

template <>
inline constexpr auto description<ToolExecution> =
    describe<ToolExecution>("execution", field<&ToolExecution::task_support>("taskSupport"));

template <>
inline constexpr auto description<Tool> = describe<Tool>(
    "Tool", field<&Tool::name>("name"),
    field<&Tool::title>("title", omit_empty, wire::from(Feature::titles)),
    field<&Tool::description>("description", omit_empty),
    wire::object_schema<&Tool::input_schema>("inputSchema", required),
    wire::wrapped_output_schema<&Tool::output_schema>("outputSchema", until{wire::v2025_11_25}),
    wire::raw_object<&Tool::output_schema>("outputSchema",
                                           wire::from(Feature::any_structured_output)),
    field<&Tool::annotations>("annotations", wire::from(Feature::tool_annotations)),
    field<&Tool::execution>("execution", wire::from(Feature::core_tasks),
                            wire::upto(Feature::core_tasks)),
    field<&Tool::icons>("icons", omit_empty, wire::from(Feature::icons)),
    wire::meta<&Tool::meta>(wire::from(Feature::meta_on_types)), rest<&Tool::extra>());

}  // namespace lanyard::reflect
