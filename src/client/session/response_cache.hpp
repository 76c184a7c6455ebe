// Caches results that the server has declared fresh for a while (MCP specification,
// server/utilities/caching; from protocol revision 2026-07-28).
//
// Public and private results are cached alike: one client has one authorization context, and the
// cache is never shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lanyard/clock.hpp"
#include "lanyard/protocol/cache.hpp"

namespace lanyard::client {

/// Keeps at most `max_bytes` bytes and evicts the least recently used results. All results of a
/// method have the same type. Not thread-safe.
class ResponseCache {
public:
    explicit ResponseCache(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}

    /// Returns the fresh result for `which` (a URI or a cursor), or null. Sets `bytes` to the size
    /// that is counted for the entry.
    template <class R>
    R const* find(std::string_view method, std::string_view which, TimePoint now,
                  std::size_t* bytes = nullptr) {
        return static_cast<R const*>(find_any(method, which, now, bytes));
    }

    /// A counter that changes whenever results of the method are invalidated. A result must not be
    /// stored if the counter has changed since the result was requested.
    std::uint64_t generation(std::string_view method) const;

    template <class R>
    void store(std::string_view method, std::string_view which, R const& result, CacheHint hint,
               std::size_t bytes, TimePoint now) {
        if (hint.ttl.count() <= 0 || bytes > max_bytes_) return;
        store_any(method, which, std::make_shared<R const>(result), hint, bytes, now);
    }

    /// Drops all results of a method.
    void invalidate(std::string_view method);
    /// Drops the result for one URI or cursor.
    void invalidate(std::string_view method, std::string_view which);

    std::size_t size() const noexcept { return entries_.size(); }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    struct Entry {
        std::string key;
        std::shared_ptr<void const> result;
        TimePoint stale_at;
        std::size_t bytes;
    };
    using Entries = std::list<Entry>;  // most recently used first

    void const* find_any(std::string_view method, std::string_view which, TimePoint now,
                         std::size_t* bytes);
    void store_any(std::string_view method, std::string_view which,
                   std::shared_ptr<void const> result, CacheHint hint, std::size_t bytes,
                   TimePoint now);
    void remove(Entries::iterator entry);

    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Entries entries_;
    std::unordered_map<std::string, Entries::iterator> index_;
    std::unordered_map<std::string, std::uint64_t> generations_;
};

}  // namespace lanyard::client
