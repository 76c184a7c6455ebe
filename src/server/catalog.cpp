#include "server/catalog.hpp"

#include "protocol/validation.hpp"

namespace lanyard::server {

namespace {

using Transforms = std::vector<std::shared_ptr<Transform const>>;

std::optional<Tool> apply(Transform const& transform, Tool tool) {
    return transform.tool(std::move(tool));
}

bool legal(Tool const& tool) {
    return protocol::check_tool(tool).has_value();
}

// How peers see a value behind the transforms; null where they do not.
template <class Value>
Value const* expose(Value const& value, Transforms const& transforms, std::deque<Value>& altered) {
    if (transforms.empty()) return &value;
    std::optional<Value> seen = value;
    for (auto const& transform : transforms) {
        seen = apply(*transform, *std::move(seen));
        if (!seen) return nullptr;
    }
    return legal(*seen) ? &altered.emplace_back(*std::move(seen)) : nullptr;
}

}  // namespace

std::shared_ptr<Catalog const> CatalogStore::snapshot() const {
    std::lock_guard const lock(mutex_);
    if (!catalog_) {
        auto catalog = std::make_shared<Catalog>();
        catalog->generation_ = generation_.load(std::memory_order_relaxed);
        catalog->tools_ = shelf(tools_);
        catalog_ = std::move(catalog);
    }
    return catalog_;
}

template <class Entry>
std::shared_ptr<Shelf<Entry> const> CatalogStore::shelf(Drawer<Entry>& drawer) const {
    if (!drawer.shelf) {
        drawer.shelf = std::make_shared<Shelf<Entry> const>(
            drawer.entries, [this](auto const& value, auto& altered) {
                return expose(value, transforms_, altered);
            });
    }
    return drawer.shelf;
}

// Under the lock, with the shelf concerned already dropped.
void CatalogStore::changed() noexcept {
    catalog_.reset();
    generation_.fetch_add(1, std::memory_order_release);
}

void CatalogStore::announce(rpc::ListKind kind) const {
    if (observer_) observer_(kind);
}

template <class Entry>
void CatalogStore::put(Drawer<Entry>& drawer, std::shared_ptr<Entry const> entry,
                       rpc::ListKind kind) {
    {
        std::lock_guard const lock(mutex_);
        drawer.entries.insert_or_assign(std::string(key_of(entry->value())), std::move(entry));
        drawer.shelf.reset();
        changed();
    }
    announce(kind);
}

template <class Entry>
bool CatalogStore::take(Drawer<Entry>& drawer, std::string_view key, rpc::ListKind kind) {
    {
        std::lock_guard const lock(mutex_);
        auto const found = drawer.entries.find(key);
        if (found == drawer.entries.end()) return false;
        drawer.entries.erase(found);
        drawer.shelf.reset();
        changed();
    }
    announce(kind);
    return true;
}

void CatalogStore::add_tool(Tool tool, ToolFunction function, ToolOptions options, Typing typing) {
    put(tools_, make_tool_entry(std::move(tool), std::move(function), std::move(options), typing),
        rpc::ListKind::tools);
}

bool CatalogStore::remove_tool(std::string_view name) {
    return take(tools_, name, rpc::ListKind::tools);
}

bool CatalogStore::enable_tool(std::string_view name, bool enabled) {
    {
        std::lock_guard const lock(mutex_);
        auto const found = tools_.entries.find(name);
        if (found == tools_.entries.end()) return false;
        if (found->second->enabled.exchange(enabled) == enabled) return true;
        tools_.shelf.reset();
        changed();
    }
    announce(rpc::ListKind::tools);
    return true;
}

void CatalogStore::add_transform(std::shared_ptr<Transform const> transform) {
    {
        std::lock_guard const lock(mutex_);
        transforms_.push_back(std::move(transform));
        tools_.shelf.reset();
        changed();
    }
    announce(rpc::ListKind::tools);
}

}  // namespace lanyard::server
