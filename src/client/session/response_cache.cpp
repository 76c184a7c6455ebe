#include "client/session/response_cache.hpp"

#include <algorithm>
#include <iterator>

namespace lanyard::client {

namespace {

// The space makes the key unambiguous, because no method contains a space.
std::string key_of(std::string_view method, std::string_view which) {
    std::string key;
    key.reserve(method.size() + 1 + which.size());
    return key.append(method).append(" ").append(which);
}

}  // namespace

void const* ResponseCache::find_any(std::string_view method, std::string_view which, TimePoint now,
                                    std::size_t* bytes) {
    if (entries_.empty()) return nullptr;
    auto const found = index_.find(key_of(method, which));
    if (found == index_.end()) return nullptr;
    auto const entry = found->second;
    if (now >= entry->stale_at) {
        remove(entry);
        return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, entry);
    if (bytes != nullptr) *bytes = entry->bytes;
    return entry->result.get();
}

std::uint64_t ResponseCache::generation(std::string_view method) const {
    auto const found = generations_.find(std::string(method));
    return found == generations_.end() ? 0 : found->second;
}

void ResponseCache::store_any(std::string_view method, std::string_view which,
                              std::shared_ptr<void const> result, CacheHint hint, std::size_t bytes,
                              TimePoint now) {
    auto key = key_of(method, which);
    if (auto const found = index_.find(key); found != index_.end()) remove(found->second);
    constexpr std::size_t bookkeeping = 256;
    auto const cost = bytes + key.size() + bookkeeping;
    while (!entries_.empty() && bytes_ + cost > max_bytes_) remove(std::prev(entries_.end()));
    // The server may send any duration; it is limited to a year so that the deadline cannot
    // overflow.
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365);
    entries_.push_front({key, std::move(result), now + std::min(hint.ttl, longest), cost});
    index_.emplace(std::move(key), entries_.begin());
    bytes_ += cost;
}

void ResponseCache::invalidate(std::string_view method) {
    ++generations_[std::string(method)];
    auto const prefix = key_of(method, "");
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        auto const at = entry++;
        if (at->key.starts_with(prefix)) remove(at);
    }
}

void ResponseCache::invalidate(std::string_view method, std::string_view which) {
    ++generations_[std::string(method)];
    auto const found = index_.find(key_of(method, which));
    if (found != index_.end()) remove(found->second);
}

void ResponseCache::remove(Entries::iterator entry) {
    bytes_ -= entry->bytes;
    index_.erase(entry->key);
    entries_.erase(entry);
}

}  // namespace lanyard::client
