// Provider: a source of features that are not registered one by one, such as another server or a
// database.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <lanyard/protocol/completion.hpp>
#include <lanyard/protocol/prompts.hpp>
#include <lanyard/protocol/resources.hpp>
#include <lanyard/protocol/tools.hpp>
#include <lanyard/server/middleware.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// Offers whatever its functions say at the moment they are asked; override those of interest.
///
/// Names and URIs here are the provider's own: what the server's transforms do to them happens
/// outside. A registered feature of the same name comes first, then providers in the order in which
/// they were added. A provider whose list fails is left out of the list; the others are shown.
///
/// Several calls may be under way at once, on different threads. The references are valid until the
/// task ends. Cancellation reaches the tasks as in any handler.
class Provider {
public:
    virtual ~Provider() = default;

    /// For messages about it.
    virtual std::string name() const { return "provider"; }
    /// Whether it ever has features of this kind: what a server says it can do follows from it.
    virtual bool offers(FeatureKind) const { return true; }
    /// The same for completion.
    virtual bool completes() const { return false; }

    virtual Task<std::vector<Tool>> list_tools(Context& context);
    virtual Task<std::vector<Resource>> list_resources(Context& context);
    virtual Task<std::vector<ResourceTemplate>> list_resource_templates(Context& context);
    virtual Task<std::vector<Prompt>> list_prompts(Context& context);

    // Nothing where the provider has no such feature.

    virtual Task<std::optional<CallToolResult>> call_tool(CallToolParams const& params,
                                                          Context& context);
    virtual Task<std::optional<ReadResourceResult>> read_resource(ReadResourceParams const& params,
                                                                  Context& context);
    virtual Task<std::optional<GetPromptResult>> get_prompt(GetPromptParams const& params,
                                                            Context& context);
    virtual Task<std::optional<Completion>> complete(CompleteParams const& params,
                                                     Context& context);

    // One feature by name, for servers that filter or transform; these search the lists unless
    // there is a faster way.

    virtual Task<std::optional<Tool>> find_tool(std::string const& name, Context& context);
    virtual Task<std::optional<Prompt>> find_prompt(std::string const& name, Context& context);

    /// Called when a list has changed; see changed().
    using Observer = std::function<void(FeatureKind kind)>;
    void on_change(Observer observer);

protected:
    /// To be called when a list has changed. Safe from any thread.
    void changed(FeatureKind kind) const;

private:
    mutable std::mutex mutex_;
    std::vector<Observer> observers_;
};

}  // namespace lanyard
