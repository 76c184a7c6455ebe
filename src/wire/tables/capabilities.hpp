// Wire tables of the capabilities.
#pragma once

#include "lanyard/protocol/capabilities.hpp"
#include "wire/tables/fields.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<RootsCapability> =
    describe<RootsCapability>("roots",
                              wire::flag<&RootsCapability::list_changed>(
                                  "listChanged", wire::upto(Feature::roots_list_changed)),
                              rest<&RootsCapability::extra>());

template <>
inline constexpr auto description<SamplingCapability> = describe<SamplingCapability>(
    "sampling", field<&SamplingCapability::context>("context", wire::from(Feature::sampling_tools)),
    field<&SamplingCapability::tools>("tools", wire::from(Feature::sampling_tools)),
    rest<&SamplingCapability::extra>());

template <>
inline constexpr auto description<ElicitationCapability> = describe<ElicitationCapability>(
    "elicitation",
    field<&ElicitationCapability::form>("form", wire::from(Feature::elicitation_modes)),
    field<&ElicitationCapability::url>("url", wire::from(Feature::elicitation_modes)),
    rest<&ElicitationCapability::extra>());

template <>
inline constexpr auto description<TasksCapability> = describe<TasksCapability>(
    "tasks", field<&TasksCapability::list>("list"), field<&TasksCapability::cancel>("cancel"),
    field<&TasksCapability::requests>("requests", omit_empty), rest<&TasksCapability::extra>());

template <>
inline constexpr auto description<ClientCapabilities> = describe<ClientCapabilities>(
    "capabilities", field<&ClientCapabilities::experimental>("experimental", omit_empty),
    field<&ClientCapabilities::roots>("roots"), field<&ClientCapabilities::sampling>("sampling"),
    field<&ClientCapabilities::elicitation>("elicitation"),
    field<&ClientCapabilities::tasks>("tasks", wire::from(Feature::core_tasks),
                                      wire::upto(Feature::core_tasks)),
    field<&ClientCapabilities::extensions>("extensions", omit_empty,
                                           wire::from(Feature::extensions)),
    rest<&ClientCapabilities::extra>());

template <>
inline constexpr auto description<ListCapability> =
    describe<ListCapability>("capability", wire::flag<&ListCapability::list_changed>("listChanged"),
                             rest<&ListCapability::extra>());

template <>
inline constexpr auto description<ResourcesCapability> = describe<ResourcesCapability>(
    "resources", wire::flag<&ResourcesCapability::subscribe>("subscribe"),
    wire::flag<&ResourcesCapability::list_changed>("listChanged"),
    rest<&ResourcesCapability::extra>());

template <>
inline constexpr auto description<ServerCapabilities> = describe<ServerCapabilities>(
    "capabilities", field<&ServerCapabilities::experimental>("experimental", omit_empty),
    field<&ServerCapabilities::logging>("logging"),
    field<&ServerCapabilities::completions>("completions",
                                            wire::from(Feature::completions_capability)),
    field<&ServerCapabilities::prompts>("prompts"),
    field<&ServerCapabilities::resources>("resources"), field<&ServerCapabilities::tools>("tools"),
    field<&ServerCapabilities::tasks>("tasks", wire::from(Feature::core_tasks),
                                      wire::upto(Feature::core_tasks)),
    field<&ServerCapabilities::extensions>("extensions", omit_empty,
                                           wire::from(Feature::extensions)),
    rest<&ServerCapabilities::extra>());

}  // namespace lanyard::reflect
