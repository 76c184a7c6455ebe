// Provider: a source of features that are not registered one by one, such as another server or a
// database.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/protocol/completion.hpp>
#include <lanyard/protocol/prompts.hpp>
#include <lanyard/protocol/resources.hpp>
#include <lanyard/protocol/tools.hpp>
#include <lanyard/server/middleware.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// A source of features that are not registered one by one, such as a database or another server.
/// The server calls the functions of the provider for every request; override the functions for the
/// kinds of features that the provider has.
///
/// Example (docs/snippets/class_examples.cpp#provider):
///
///     class Weather : public lanyard::Provider {
///     public:
///         lanyard::Task<std::vector<lanyard::Resource>> list_resources(
///             lanyard::Context& context) override {
///             co_return resources_of(context.identity());
///         }
///         lanyard::Task<std::optional<lanyard::ReadResourceResult>> read_resource(
///             lanyard::ReadResourceParams const& params, lanyard::Context&) override {
///             if (params.uri != "weather:now") co_return std::nullopt;
///             co_return look_outside();
///         }
///     };
///
/// Arguments and results of the functions have the original names and URIs, because the server
/// applies its transforms before it calls the provider and after the provider has returned. If
/// several sources have a feature of the same name, a registered feature has precedence, then the
/// feature of the provider that was added first.
///
/// Ownership: Server::add_provider() shares the ownership; a provider may serve several servers and
/// may outlive them. The reference arguments of a function are valid until its task ends.
///
/// Threads: functions may be called concurrently, on different threads. Cancellation reaches the
/// tasks as in any handler.
///
/// Errors: exceptions have the same effect as in handlers, except for lists: if a list function
/// fails, the features of this provider are missing from the list, and the log has the reason. If
/// the list would be empty without them, the request fails with the exception.
///
/// Pitfalls:
/// - The server does not check the arguments of a provided tool against its input schema, nor the
///   result against its output schema, and there is no timeout.
/// - offers() is true for every kind by default. Override it, or clients see capabilities without
///   features.
/// - If the server has filters or transforms, it searches the provider for a feature before each
///   use of the feature. The default find functions list everything to find one feature; override
///   them if lists are long.
/// - Call changed() when a list changes; the server cannot detect it.
class Provider {
public:
    virtual ~Provider() = default;

    /// The name used in log messages.
    virtual std::string name() const { return "provider"; }
    /// Whether the provider can have features of this kind. The server's capabilities depend on the
    /// result.
    virtual bool offers(FeatureKind) const { return true; }
    /// Whether the provider can complete arguments.
    virtual bool completes() const { return false; }
    /// Whether changes of the provider's resources are reported, with updated() or
    /// Server::resource_updated(). If no source of resources reports changes, the server does not
    /// accept subscriptions.
    virtual bool reports_updates() const { return true; }

    virtual Task<std::vector<Tool>> list_tools(Context& context);
    virtual Task<std::vector<Resource>> list_resources(Context& context);
    virtual Task<std::vector<ResourceTemplate>> list_resource_templates(Context& context);
    virtual Task<std::vector<Prompt>> list_prompts(Context& context);

    // The following functions return nullopt if the provider has no such feature.

    virtual Task<std::optional<CallToolResult>> call_tool(CallToolParams const& params,
                                                          Context& context);
    virtual Task<std::optional<ReadResourceResult>> read_resource(ReadResourceParams const& params,
                                                                  Context& context);
    virtual Task<std::optional<GetPromptResult>> get_prompt(GetPromptParams const& params,
                                                            Context& context);
    virtual Task<std::optional<Completion>> complete(CompleteParams const& params,
                                                     Context& context);

    // The following functions find one feature by name; a server calls them if it has filters or
    // transforms. The default implementations search the lists. Override the functions if there is
    // a faster way.

    virtual Task<std::optional<Tool>> find_tool(std::string const& name, Context& context);
    virtual Task<std::optional<Prompt>> find_prompt(std::string const& name, Context& context);

    /// Called when the first client subscribes to a URI, and when the last client ends its
    /// subscription. The URI need not be one of the provider's. The calls for one server come one
    /// at a time, on any thread, while a lock is held: return soon, and do not call the server.
    virtual void subscribed(std::string const& /*uri*/) {}
    virtual void unsubscribed(std::string const& /*uri*/) {}

    /// Called when a list has changed; see changed().
    using Observer = std::function<void(FeatureKind kind)>;
    void on_change(Observer observer);
    /// Called when a resource has changed; see updated().
    using UpdateObserver = std::function<void(std::string_view uri)>;
    void on_update(UpdateObserver observer);

protected:
    /// Reports that a list has changed. Safe from any thread.
    void changed(FeatureKind kind) const;
    /// Reports that a resource has changed, so that clients that have subscribed to it are
    /// notified. Safe from any thread.
    void updated(std::string_view uri) const;

private:
    mutable std::mutex mutex_;
    std::vector<Observer> observers_;
    std::vector<UpdateObserver> update_observers_;
};

}  // namespace lanyard
