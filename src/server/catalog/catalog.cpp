#include "server/catalog/catalog.hpp"

#include <algorithm>

namespace lanyard::server {

std::optional<Catalog::TemplateMatch> Catalog::match_template(std::string_view uri) const {
    std::string inner;
    if (!transforms_.empty()) {
        inner = original(transforms_, &Transform::original_uri, std::string(uri));
        uri = inner;
    }
    for (auto const& item : templates_->items()) {
        if (auto variables = item.entry->uri_template.match(uri)) {
            return TemplateMatch{item, *std::move(variables)};
        }
    }
    return std::nullopt;
}

CompletionEntry const* Catalog::find_completion(FeatureKind kind, std::string_view own_key,
                                                std::string_view argument) const {
    auto const found = completions_->find({kind, std::string(own_key), std::string(argument)});
    return found == completions_->end() ? nullptr : found->second.get();
}

bool Catalog::offers(FeatureKind kind) const {
    auto const registered = [&] {
        switch (kind) {
            case FeatureKind::tool:
                return !tools_->empty();
            case FeatureKind::resource:
                return !resources_->empty();
            case FeatureKind::resource_template:
                return !templates_->empty();
            default:
                return !prompts_->empty();
        }
    };
    return registered() || std::ranges::any_of(providers_, [&](auto const& provider) {
               return provider->offers(kind);
           });
}

bool Catalog::completes() const {
    auto const has_choices = [](auto const& item) { return !item.entry->function.choices.empty(); };
    return !completions_->empty() || std::ranges::any_of(prompts_->items(), has_choices) ||
           std::ranges::any_of(templates_->items(), has_choices) ||
           std::ranges::any_of(providers_, [](auto const& each) { return each->completes(); });
}

bool Catalog::reports_updates() const {
    return !resources_->empty() || !templates_->empty() ||
           std::ranges::any_of(providers_, [](auto const& each) {
               return each->offers(FeatureKind::resource) && each->reports_updates();
           });
}

std::optional<std::string> Catalog::exposed_uri(std::string_view uri) const {
    if (transforms_.empty()) return std::string(uri);
    Resource resource;
    resource.uri = uri;
    resource.name = uri;
    auto seen = exposed(transforms_, std::move(resource));
    if (!seen) return std::nullopt;
    return std::move(seen->uri);
}

CatalogStore::~CatalogStore() {
    on_change(nullptr);
    on_update(nullptr);
}

std::shared_ptr<Catalog const> CatalogStore::snapshot() const {
    std::lock_guard const lock(mutex_);
    if (!catalog_) {
        auto catalog = std::make_shared<Catalog>();
        catalog->generation_ = generation_.load(std::memory_order_relaxed);
        catalog->tools_ = index(tools_);
        catalog->resources_ = index(resources_);
        catalog->templates_ = index(templates_);
        catalog->prompts_ = index(prompts_);
        if (!shared_completions_) {
            shared_completions_ = std::make_shared<Completions const>(completions_);
        }
        catalog->completions_ = shared_completions_;
        catalog->providers_ = providers_;
        catalog->transforms_ = transforms_;
        catalog_ = std::move(catalog);
    }
    return catalog_;
}

template <class Entry>
std::shared_ptr<FeatureIndex<Entry> const> CatalogStore::index(FeatureStore<Entry>& store) const {
    if (!store.index) {
        using Value = typename Entry::Value;
        auto const look = [this](Value const& value, std::deque<Value>& altered) -> Value const* {
            if (transforms_.empty()) return &value;
            auto seen = exposed(transforms_, value);
            return seen ? &altered.emplace_back(*std::move(seen)) : nullptr;
        };
        store.index = std::make_shared<FeatureIndex<Entry> const>(store.entries, look);
    }
    return store.index;
}

void CatalogStore::on_change(Observer observer) {
    std::lock_guard const lock(reports_->mutex);
    reports_->observer = std::move(observer);
}

void CatalogStore::on_update(UpdateObserver observer) {
    std::lock_guard const lock(reports_->mutex);
    reports_->update_observer = std::move(observer);
}

void CatalogStore::ChangeReports::announce_update(std::string_view uri) {
    std::lock_guard const lock(mutex);
    if (update_observer) update_observer(uri);
}

// Holds the lock while it calls the observer, so that no observer is called after on_change() has
// replaced it.
void CatalogStore::ChangeReports::announce(rpc::NotifiedList kind) {
    std::lock_guard const lock(mutex);
    if (observer) observer(kind);
}

// Called with the lock held, after the FeatureIndex of the changed features has been dropped.
void CatalogStore::changed() noexcept {
    catalog_.reset();
    generation_.fetch_add(1, std::memory_order_release);
}

void CatalogStore::announce_all() const {
    for (auto const kind :
         {rpc::NotifiedList::tools, rpc::NotifiedList::resources, rpc::NotifiedList::prompts}) {
        announce(kind);
    }
}

template <class Entry>
void CatalogStore::put(FeatureStore<Entry>& store, std::shared_ptr<Entry const> entry,
                       rpc::NotifiedList kind) {
    {
        std::lock_guard const lock(mutex_);
        store.entries.insert_or_assign(std::string(key_of(entry->value())), std::move(entry));
        store.index.reset();
        changed();
    }
    announce(kind);
}

template <class Entry>
bool CatalogStore::take(FeatureStore<Entry>& store, std::string_view key, rpc::NotifiedList kind) {
    {
        std::lock_guard const lock(mutex_);
        auto const found = store.entries.find(key);
        if (found == store.entries.end()) return false;
        store.entries.erase(found);
        store.index.reset();
        if constexpr (std::same_as<Entry, PromptEntry>) {
            drop_completions(FeatureKind::prompt, key);
        } else if constexpr (std::same_as<Entry, TemplateEntry>) {
            drop_completions(FeatureKind::resource_template, key);
        }
        changed();
    }
    announce(kind);
    return true;
}

void CatalogStore::add_tool(Tool tool, ToolFunction function, ToolOptions options, Typing typing) {
    put(tools_, make_tool_entry(std::move(tool), std::move(function), std::move(options), typing),
        rpc::NotifiedList::tools);
}

void CatalogStore::add_resource(Resource resource, ResourceFunction function,
                                ResourceOptions options) {
    put(resources_,
        make_resource_entry(std::move(resource), std::move(function), std::move(options)),
        rpc::NotifiedList::resources);
}

void CatalogStore::add_resource_template(ResourceTemplate resource_template,
                                         ResourceFunction function, ResourceOptions options) {
    put(templates_,
        make_template_entry(std::move(resource_template), std::move(function), std::move(options)),
        rpc::NotifiedList::resources);
}

void CatalogStore::add_prompt(Prompt prompt, PromptFunction function, PromptOptions options) {
    put(prompts_, make_prompt_entry(std::move(prompt), std::move(function), std::move(options)),
        rpc::NotifiedList::prompts);
}

bool CatalogStore::remove_tool(std::string_view name) {
    return take(tools_, name, rpc::NotifiedList::tools);
}

bool CatalogStore::remove_resource(std::string_view uri) {
    return take(resources_, uri, rpc::NotifiedList::resources);
}

bool CatalogStore::remove_resource_template(std::string_view text) {
    return take(templates_, text, rpc::NotifiedList::resources);
}

bool CatalogStore::remove_prompt(std::string_view name) {
    return take(prompts_, name, rpc::NotifiedList::prompts);
}

bool CatalogStore::enable_tool(std::string_view name, bool enabled) {
    {
        std::lock_guard const lock(mutex_);
        auto const found = tools_.entries.find(name);
        if (found == tools_.entries.end()) return false;
        if (found->second->enabled.exchange(enabled) == enabled) return true;
        tools_.index.reset();
        changed();
    }
    announce(rpc::NotifiedList::tools);
    return true;
}

void CatalogStore::complete_prompt(std::string_view name, std::string_view argument,
                                   CompletionFunction function) {
    std::lock_guard const lock(mutex_);
    auto const found = prompts_.entries.find(name);
    if (found == prompts_.entries.end()) {
        throw Error(Errc::invalid_argument,
                    "completion: there is no prompt \"" + std::string(name) + "\"");
    }
    auto const& arguments = found->second->prompt.arguments;
    if (std::ranges::find(arguments, argument, &PromptArgument::name) == arguments.end()) {
        throw Error(Errc::invalid_argument, "completion: the prompt \"" + std::string(name) +
                                                "\" has no argument \"" + std::string(argument) +
                                                "\"");
    }
    put_completion({FeatureKind::prompt, std::string(name), std::string(argument)},
                   std::move(function));
}

void CatalogStore::complete_template(std::string_view uri_template, std::string_view variable,
                                     CompletionFunction function) {
    std::lock_guard const lock(mutex_);
    auto const found = templates_.entries.find(uri_template);
    if (found == templates_.entries.end()) {
        throw Error(Errc::invalid_argument, "completion: there is no resource template \"" +
                                                std::string(uri_template) + "\"");
    }
    auto const& variables = found->second->uri_template.variables();
    if (std::ranges::find(variables, variable) == variables.end()) {
        throw Error(Errc::invalid_argument,
                    "completion: the template \"" + std::string(uri_template) +
                        "\" has no variable \"" + std::string(variable) + "\"");
    }
    put_completion(
        {FeatureKind::resource_template, std::string(uri_template), std::string(variable)},
        std::move(function));
}

// Called with the lock held.
void CatalogStore::put_completion(CompletionKey key, CompletionFunction function) {
    auto entry = std::make_shared<CompletionEntry>();
    entry->function = std::move(function);
    completions_.insert_or_assign(std::move(key), std::move(entry));
    shared_completions_.reset();
    changed();
}

// Called with the lock held.
void CatalogStore::drop_completions(FeatureKind kind, std::string_view own_key) {
    auto at = completions_.lower_bound({kind, std::string(own_key), std::string()});
    while (at != completions_.end() && std::get<0>(at->first) == kind &&
           std::get<1>(at->first) == own_key) {
        at = completions_.erase(at);
    }
    shared_completions_.reset();
}

void CatalogStore::add_provider(std::shared_ptr<Provider> provider) {
    provider->on_change([reports = std::weak_ptr(reports_)](FeatureKind kind) {
        auto const alive = reports.lock();
        if (!alive) return;
        alive->announce(kind == FeatureKind::tool     ? rpc::NotifiedList::tools
                        : kind == FeatureKind::prompt ? rpc::NotifiedList::prompts
                                                      : rpc::NotifiedList::resources);
    });
    provider->on_update([reports = std::weak_ptr(reports_)](std::string_view uri) {
        if (auto const alive = reports.lock()) alive->announce_update(uri);
    });
    {
        std::lock_guard const lock(mutex_);
        providers_.push_back(std::move(provider));
        changed();
    }
    announce_all();
}

void CatalogStore::add_transform(std::shared_ptr<Transform const> transform) {
    {
        std::lock_guard const lock(mutex_);
        transforms_.push_back(std::move(transform));
        tools_.index.reset();
        resources_.index.reset();
        templates_.index.reset();
        prompts_.index.reset();
        changed();
    }
    announce_all();
}

}  // namespace lanyard::server
