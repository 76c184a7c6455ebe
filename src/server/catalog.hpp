// The features of a server: Catalog, an immutable snapshot that sessions read without locks, and
// CatalogStore, which registers features from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "lanyard/server/transform.hpp"
#include "rpc/list_changed.hpp"
#include "server/entries.hpp"
#include "server/shelf.hpp"

namespace lanyard::server {

/// Everything a server offers at one moment.
class Catalog {
public:
    using Tools = Shelf<ToolEntry>;

    /// The tool that peers know under this name; null where there is none. A disabled tool is
    /// found: calling it fails in its own way.
    ToolEntry const* find_tool(std::string_view name) const noexcept {
        auto const* item = tools_->find(name);
        return item == nullptr ? nullptr : item->entry;
    }
    Tools const& tools() const noexcept { return *tools_; }

    /// Grows with every change.
    std::uint64_t generation() const noexcept { return generation_; }

private:
    friend class CatalogStore;

    std::uint64_t generation_ = 0;
    std::shared_ptr<Tools const> tools_;
};

/// Registers features. Every function may be called from any thread; what is wrong with a feature
/// is thrown as Error (invalid_argument).
///
/// A change costs time logarithmic in the number of features; the next snapshot pays for what the
/// changes before it have in common.
class CatalogStore {
public:
    using Observer = std::function<void(rpc::ListKind)>;

    CatalogStore() = default;
    CatalogStore(CatalogStore const&) = delete;
    CatalogStore& operator=(CatalogStore const&) = delete;

    std::shared_ptr<Catalog const> snapshot() const;
    /// The generation the next snapshot has: whoever holds one of this generation need not ask.
    std::uint64_t generation() const noexcept {
        return generation_.load(std::memory_order_acquire);
    }

    /// Called after every change of what a list shows, on the thread that made it. Set before the
    /// store is shared.
    void on_change(Observer observer) { observer_ = std::move(observer); }

    /// Replaces a tool of the same name.
    void add_tool(Tool tool, ToolFunction function, ToolOptions options, Typing typing);
    /// False where there is no such tool.
    bool remove_tool(std::string_view name);
    bool enable_tool(std::string_view name, bool enabled);

    /// Applies to everything, after the transforms added before.
    void add_transform(std::shared_ptr<Transform const> transform);

private:
    // The registered features of one kind, and the shelf made of them unless they have changed.
    template <class Entry>
    struct Drawer {
        typename Shelf<Entry>::Entries entries;
        std::shared_ptr<Shelf<Entry> const> shelf;
    };

    template <class Entry>
    void put(Drawer<Entry>& drawer, std::shared_ptr<Entry const> entry, rpc::ListKind kind);
    template <class Entry>
    bool take(Drawer<Entry>& drawer, std::string_view key, rpc::ListKind kind);
    template <class Entry>
    std::shared_ptr<Shelf<Entry> const> shelf(Drawer<Entry>& drawer) const;
    void changed() noexcept;
    void announce(rpc::ListKind kind) const;

    mutable std::mutex mutex_;
    std::atomic<std::uint64_t> generation_ = 1;
    mutable std::shared_ptr<Catalog const> catalog_;  // null after a change
    mutable Drawer<ToolEntry> tools_;
    std::vector<std::shared_ptr<Transform const>> transforms_;
    Observer observer_;
};

/// The latest snapshot, for one session: looking for a newer one costs one atomic load.
class CatalogReader {
public:
    explicit CatalogReader(CatalogStore const& store) : store_(store) {}

    /// Valid until the next call; holders of longer breath copy the pointer.
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
