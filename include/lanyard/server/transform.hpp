// Transform: renames, alters or hides features between a server and its peers.
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

/// Changes how the features of a server appear to its peers, whether they were registered or come
/// from a provider. Several apply in the order in which they were added.
///
/// On the way out, a feature may be altered, or hidden by returning nothing: what is hidden cannot
/// be called. On the way in, a name the peer uses is mapped back; a transform that changes names
/// or URIs overrides both directions. A feature whose new name is not a legal one, or is taken, is
/// not offered.
///
/// Used from several threads at once: it must not change.
class Transform {
public:
    virtual ~Transform() = default;

    virtual std::optional<Tool> tool(Tool tool) const { return tool; }
    virtual std::optional<Resource> resource(Resource resource) const { return resource; }
    virtual std::optional<ResourceTemplate> resource_template(ResourceTemplate value) const {
        return value;
    }
    virtual std::optional<Prompt> prompt(Prompt prompt) const { return prompt; }

    /// The name before the transform; anything will do for a name it would never give.
    virtual std::string original_tool(std::string name) const { return name; }
    virtual std::string original_prompt(std::string name) const { return name; }
    virtual std::string original_uri(std::string uri) const { return uri; }

    /// Puts the prefix before the name of every tool and prompt. Throws Error (invalid_argument)
    /// where no tool could be called so.
    static std::shared_ptr<Transform> prefix(std::string prefix);
    /// Gives tools and prompts other names: from the present name to the new one. Throws Error
    /// (invalid_argument) for a bad name, and where two would get the same.
    static std::shared_ptr<Transform> rename(std::map<std::string, std::string> names);
    /// Hides the tools for which the predicate is true.
    static std::shared_ptr<Transform> hide(std::function<bool(Tool const& tool)> hidden);
};

}  // namespace lanyard
