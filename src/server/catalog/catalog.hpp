// The features of a server: Catalog, an immutable snapshot that sessions read without locks, and
// CatalogStore, which registers features from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lanyard/protocol/completion.hpp"
#include "lanyard/server/provider.hpp"
#include "peer/list_changed.hpp"
#include "server/catalog/entries.hpp"
#include "server/catalog/exposure.hpp"
#include "server/catalog/feature_index.hpp"

namespace lanyard::server {

using Providers = std::vector<std::shared_ptr<Provider>>;

/// Identifies a completion: the kind of feature, the feature's key before transforms (the name of
/// the prompt or the text of the template), and the argument.
using CompletionKey = std::tuple<FeatureKind, std::string, std::string>;
using Completions = std::map<CompletionKey, std::shared_ptr<CompletionEntry const>>;

/// Everything a server offers at one point in time.
class Catalog {
public:
    using Tools = FeatureIndex<ToolEntry>;
    using Resources = FeatureIndex<ResourceEntry>;
    using Templates = FeatureIndex<TemplateEntry>;
    using Prompts = FeatureIndex<PromptEntry>;

    // These functions look up a feature by the name that peers use. They return null if there is no
    // such feature.

    /// Also finds disabled tools, because calling a disabled tool fails with a specific error.
    ToolEntry const* find_tool(std::string_view name) const noexcept {
        return entry(*tools_, name);
    }
    ResourceEntry const* find_resource(std::string_view uri) const noexcept {
        return entry(*resources_, uri);
    }
    TemplateEntry const* find_template(std::string_view text) const noexcept {
        return entry(*templates_, text);
    }
    PromptEntry const* find_prompt(std::string_view name) const noexcept {
        return entry(*prompts_, name);
    }

    struct TemplateMatch {
        Templates::Item item;
        UriVariables variables;
    };
    /// Returns the template that matches the URI. If several match, returns the one whose text
    /// sorts first: letters sort before '{', so the more specific template wins.
    std::optional<TemplateMatch> match_template(std::string_view uri) const;

    /// Returns the completion of this argument of a prompt or template; null if it has no
    /// completion. `own_key` is the key of the prompt or template before transforms.
    CompletionEntry const* find_completion(FeatureKind kind, std::string_view own_key,
                                           std::string_view argument) const;

    Tools const& tools() const noexcept { return *tools_; }
    Resources const& resources() const noexcept { return *resources_; }
    Templates const& templates() const noexcept { return *templates_; }
    Prompts const& prompts() const noexcept { return *prompts_; }
    Providers const& providers() const noexcept { return providers_; }
    Transforms const& transforms() const noexcept { return transforms_; }

    /// Whether the server has features of this kind, registered or from providers.
    bool offers(FeatureKind kind) const;
    bool completes() const;
    /// Whether changes of resources are reported, so that subscriptions have an effect.
    bool reports_updates() const;

    /// Returns the URI under which peers see one of the server's resources; nullopt if peers cannot
    /// see it.
    std::optional<std::string> exposed_uri(std::string_view uri) const;

    /// The number of this snapshot; increases with every change of the features.
    std::uint64_t generation() const noexcept { return generation_; }

private:
    friend class CatalogStore;

    template <class Entry>
    static Entry const* entry(FeatureIndex<Entry> const& index, std::string_view key) noexcept {
        auto const* item = index.find(key);
        return item == nullptr ? nullptr : item->entry;
    }

    std::uint64_t generation_ = 0;
    std::shared_ptr<Tools const> tools_;
    std::shared_ptr<Resources const> resources_;
    std::shared_ptr<Templates const> templates_;
    std::shared_ptr<Prompts const> prompts_;
    std::shared_ptr<Completions const> completions_;
    Providers providers_;
    Transforms transforms_;
};

/// Registers features. Thread-safe. If a feature is invalid, throws Error (invalid_argument).
/// Adding replaces a feature with the same name.
///
/// A change takes time logarithmic in the number of features; the first snapshot after a change
/// takes time linear in the number of features of the changed kinds.
class CatalogStore {
public:
    using Observer = std::function<void(rpc::NotifiedList)>;
    using UpdateObserver = std::function<void(std::string_view uri)>;

    CatalogStore() = default;
    ~CatalogStore();
    CatalogStore(CatalogStore const&) = delete;
    CatalogStore& operator=(CatalogStore const&) = delete;

    std::shared_ptr<Catalog const> snapshot() const;
    /// The current generation. A snapshot is up to date if it has this generation.
    std::uint64_t generation() const noexcept {
        return generation_.load(std::memory_order_acquire);
    }

    /// Sets an observer that is called after every change of a list, on the thread that made the
    /// change.
    void on_change(Observer observer);
    /// Sets an observer that is called with the URIs of resources of which a provider reports a
    /// change, on the thread of the report.
    void on_update(UpdateObserver observer);

    void add_tool(Tool tool, ToolFunction function, ToolOptions options, Typing typing);
    void add_resource(Resource resource, ResourceFunction function, ResourceOptions options);
    void add_resource_template(ResourceTemplate resource_template, ResourceFunction function,
                               ResourceOptions options);
    void add_prompt(Prompt prompt, PromptFunction function, PromptOptions options);
    /// Sets the function that completes an argument. Throws if there is no such prompt, or if it
    /// does not have the argument.
    void complete_prompt(std::string_view name, std::string_view argument,
                         CompletionFunction function);
    /// Sets the function that completes a variable. Throws if there is no such template, or if it
    /// does not have the variable.
    void complete_template(std::string_view uri_template, std::string_view variable,
                           CompletionFunction function);

    // These functions return false if there is no such feature.

    bool remove_tool(std::string_view name);
    bool enable_tool(std::string_view name, bool enabled);
    bool remove_resource(std::string_view uri);
    bool remove_resource_template(std::string_view text);
    bool remove_prompt(std::string_view name);

    /// Adds a provider. A feature is looked up first among the registered features, then in the
    /// providers, in the order in which the providers were added.
    void add_provider(std::shared_ptr<Provider> provider);
    /// Applies the transform to all features, after the transforms that were added earlier.
    void add_transform(std::shared_ptr<Transform const> transform);

private:
    // The registered features of one kind, and the immutable FeatureIndex built from them on
    // demand. `index` is null after a change until it is next needed.
    template <class Entry>
    struct FeatureStore {
        typename FeatureIndex<Entry>::Entries entries;
        std::shared_ptr<FeatureIndex<Entry> const> index;
    };
    // Passes changes to the observer. Providers keep a weak pointer to this object, because they
    // may outlive the store.
    struct ChangeReports {
        std::mutex mutex;
        Observer observer;
        UpdateObserver update_observer;

        void announce(rpc::NotifiedList kind);
        void announce_update(std::string_view uri);
    };

    template <class Entry>
    void put(FeatureStore<Entry>& store, std::shared_ptr<Entry const> entry,
             rpc::NotifiedList kind);
    template <class Entry>
    bool take(FeatureStore<Entry>& store, std::string_view key, rpc::NotifiedList kind);
    template <class Entry>
    std::shared_ptr<FeatureIndex<Entry> const> index(FeatureStore<Entry>& store) const;
    void put_completion(CompletionKey key, CompletionFunction function);
    void drop_completions(FeatureKind kind, std::string_view own_key);
    void changed() noexcept;
    void announce(rpc::NotifiedList kind) const { reports_->announce(kind); }
    void announce_all() const;

    mutable std::mutex mutex_;
    std::atomic<std::uint64_t> generation_ = 1;
    // The latest snapshot; null from a change until the next call of snapshot().
    mutable std::shared_ptr<Catalog const> catalog_;
    mutable FeatureStore<ToolEntry> tools_;
    mutable FeatureStore<ResourceEntry> resources_;
    mutable FeatureStore<TemplateEntry> templates_;
    mutable FeatureStore<PromptEntry> prompts_;
    Completions completions_;
    // A copy of completions_ for snapshots; null from a change until the next call of snapshot().
    mutable std::shared_ptr<Completions const> shared_completions_;
    Providers providers_;
    Transforms transforms_;
    std::shared_ptr<ChangeReports> reports_ = std::make_shared<ChangeReports>();
};

/// Holds the latest snapshot for one session. Checking for a newer snapshot costs one atomic load.
class CatalogReader {
public:
    explicit CatalogReader(CatalogStore const& store) : store_(store) {}

    /// Returns the latest catalog. The reference is valid until the next call; copy the pointer to
    /// keep the catalog longer.
    std::shared_ptr<Catalog const> const& latest() {
        if (!catalog_ || catalog_->generation() != store_.generation()) {
            catalog_ = store_.snapshot();
        }
        return catalog_;
    }

private:
    CatalogStore const& store_;
    std::shared_ptr<Catalog const> catalog_;
};

}  // namespace lanyard::server
