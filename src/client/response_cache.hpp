// Results the server has declared fresh for a while (server/utilities/caching; from 2026-07-28).
//
// One client is one authorization context, so that what is private may be kept like what is public:
// nothing here is ever shared.
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

/// Keeps at most so many bytes, giving up what was used longest ago. A method always has results of
/// one type. Not thread-safe.
class ResponseCache {
public:
    explicit ResponseCache(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}

    /// The fresh result for what `which` names (a URI or a cursor), or null. Also tells how many
    /// bytes it counts for.
    template <class R>
    R const* find(std::string_view method, std::string_view which, TimePoint now,
                  std::size_t* bytes = nullptr) {
        return static_cast<R const*>(find_any(method, which, now, bytes));
    }

    /// Changes whenever what is known of the method's results is given up: a result asked for
    /// before must not be stored after.
    std::uint64_t generation(std::string_view method) const;

    template <class R>
    void store(std::string_view method, std::string_view which, R const& result, CacheHint hint,
               std::size_t bytes, TimePoint now) {
        if (hint.ttl.count() <= 0 || bytes > max_bytes_) return;
        store_any(method, which, std::make_shared<R const>(result), hint, bytes, now);
    }

    /// Gives up all results of a method, or those for one thing.
    void invalidate(std::string_view method);
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
    using Entries = std::list<Entry>;  // the one used last in front

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
