// FeatureIndex: an immutable collection of the features of one kind, as peers see them. Finds a
// feature by its key, and lists the features in the order of their keys.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lanyard/protocol/cache.hpp"
#include "lanyard/protocol/era.hpp"

namespace lanyard::server {

/// The encoded first page of a list, and the parameters it was encoded for.
struct CachedPage {
    std::size_t page_size = 0;
    CacheHint cache{};
    std::string server_info{};
    std::shared_ptr<std::string const> body{};
};

template <class Entry>
class FeatureIndex {
public:
    using Value = typename Entry::Value;
    using Entries = std::map<std::string, std::shared_ptr<Entry const>, std::less<>>;

    struct Item {
        Value const* value;  ///< the description as peers see it
        Entry const* entry;
    };

    /// `expose(value, altered)` returns how peers see a value: the value itself, a copy stored in
    /// `altered`, or null if it is hidden. If two values get the same key, the value whose original
    /// key sorts first is kept.
    template <class Expose>
    FeatureIndex(Entries const& entries, Expose const& expose) {
        owners_.reserve(entries.size());
        items_.reserve(entries.size());
        index_.reserve(entries.size());
        for (auto const& [key, entry] : entries) {
            Value const* value = expose(entry->value(), altered_);
            if (value == nullptr) continue;
            owners_.push_back(entry);
            if (!index_.emplace(key_of(*value), Item{value, entry.get()}).second) continue;
            if (entry->listed()) items_.push_back({value, entry.get()});
        }
        auto const by_key = [](Item const& item) { return key_of(*item.value); };
        // The items are out of order only if transforms have altered keys.
        if (!altered_.empty()) std::ranges::sort(items_, {}, by_key);
    }
    FeatureIndex(FeatureIndex const&) = delete;
    FeatureIndex& operator=(FeatureIndex const&) = delete;

    /// The items shown in lists, sorted by key.
    std::span<Item const> items() const noexcept { return items_; }
    bool empty() const noexcept { return owners_.empty(); }
    Item const* find(std::string_view key) const noexcept {
        auto const found = index_.find(key);
        return found == index_.end() ? nullptr : &found->second;
    }

    /// Returns the encoded first page for this revision; calls `make` unless the page is cached.
    template <class Make>
    std::shared_ptr<std::string const> first_page(Version version, std::size_t page_size,
                                                  CacheHint cache, std::string_view server_info,
                                                  Make const& make) const {
        std::lock_guard const lock(mutex_);
        auto& page = first_pages_[static_cast<std::size_t>(version)];
        if (!page.body || page.page_size != page_size || page.cache != cache ||
            page.server_info != server_info) {
            page.body = make();
            page.page_size = page_size;
            page.cache = cache;
            page.server_info = server_info;
        }
        return page.body;
    }

private:
    std::vector<std::shared_ptr<Entry const>> owners_;
    std::deque<Value> altered_;
    std::vector<Item> items_;
    std::unordered_map<std::string_view, Item> index_;
    mutable std::mutex mutex_;
    mutable std::array<CachedPage, all_versions.size()> first_pages_;
};

}  // namespace lanyard::server
