// Transform: renames, changes or hides features between a server and its peers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <lanyard/protocol/content.hpp>
#include <lanyard/protocol/prompts.hpp>
#include <lanyard/protocol/resources.hpp>
#include <lanyard/protocol/tool.hpp>

namespace lanyard {

/// Changes how the features of a server appear to its peers, whether they are registered or come
/// from a provider. Transforms are applied in the order in which they were added.
///
/// tool(), resource(), resource_template() and prompt() return a feature as peers see it. They
/// return nullopt to hide a feature, which then cannot be used either. original_tool(),
/// original_prompt() and original_uri() do the reverse: for the name or URI that a peer sees, they
/// return the original one. A transform that changes names or URIs must override both kinds of
/// functions. A feature whose new name is invalid or already in use is not offered.
///
/// A transform is called from several threads concurrently, so it must be immutable.
class Transform {
public:
    virtual ~Transform() = default;

    virtual std::optional<Tool> tool(Tool tool) const { return tool; }
    virtual std::optional<Resource> resource(Resource resource) const { return resource; }
    virtual std::optional<ResourceTemplate> resource_template(ResourceTemplate value) const {
        return value;
    }
    virtual std::optional<Prompt> prompt(Prompt prompt) const { return prompt; }

    /// Returns the name that the tool has without this transform. If this transform never produces
    /// the given name, any result is correct.
    virtual std::string original_tool(std::string name) const { return name; }
    virtual std::string original_prompt(std::string name) const { return name; }
    virtual std::string original_uri(std::string uri) const { return uri; }

    /// Adds a prefix to the name of every tool and prompt. Throws Error (invalid_argument) if the
    /// prefix is not valid in a tool name.
    static std::shared_ptr<Transform> prefix(std::string prefix);
    /// Renames tools and prompts. The map contains the current names and their new names. Throws
    /// Error (invalid_argument) for an invalid name, and if two features would get the same name.
    static std::shared_ptr<Transform> rename(std::map<std::string, std::string> names);
    /// Hides the tools for which the predicate returns true.
    static std::shared_ptr<Transform> hide(std::function<bool(Tool const& tool)> hidden);
};

}  // namespace lanyard
