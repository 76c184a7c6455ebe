// Applies the transforms of a server: converts features to the form in which peers see them, and
// finds the original name of a feature from the name that peers use.
#pragma once

#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "lanyard/server/transform.hpp"
#include "server/catalog/entries.hpp"

namespace lanyard::server {

/// The transforms, in the order in which they are applied to outgoing values.
using Transforms = std::vector<std::shared_ptr<Transform const>>;

inline std::optional<Tool> transformed(Transform const& transform, Tool tool) {
    return transform.tool(std::move(tool));
}
inline std::optional<Resource> transformed(Transform const& transform, Resource resource) {
    return transform.resource(std::move(resource));
}
inline std::optional<ResourceTemplate> transformed(Transform const& transform,
                                                   ResourceTemplate value) {
    return transform.resource_template(std::move(value));
}
inline std::optional<Prompt> transformed(Transform const& transform, Prompt prompt) {
    return transform.prompt(std::move(prompt));
}

/// Returns the value as peers see it; nullopt if it is hidden from them.
template <class Value>
std::optional<Value> exposed(Transforms const& transforms, Value value) {
    std::optional<Value> seen(std::move(value));
    for (auto const& transform : transforms) {
        seen = transformed(*transform, *std::move(seen));
        if (!seen) return std::nullopt;
    }
    if (!is_legal(*seen)) return std::nullopt;
    return seen;
}

/// Returns the original name or URI of a feature. `name` is the name or URI that peers use; `back`
/// is a member function such as &Transform::original_tool.
inline std::string original(Transforms const& transforms,
                            std::string (Transform::*back)(std::string) const, std::string name) {
    for (auto const& transform : std::views::reverse(transforms)) {
        name = ((*transform).*back)(std::move(name));
    }
    return name;
}

}  // namespace lanyard::server
