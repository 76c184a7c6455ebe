// ReadCache: keeps the last results of reading resources for a limited time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lanyard/clock.hpp"
#include "lanyard/protocol/resources.hpp"

namespace lanyard::server {

/// Stores results by URI and evicts the least recently used ones when room is needed. Thread-safe.
class ReadCache {
public:
    explicit ReadCache(std::size_t max_bytes = 16 * 1024 * 1024) noexcept : max_bytes_(max_bytes) {}

    /// Returns the result if it is cached and has not expired, otherwise null.
    std::shared_ptr<ReadResourceResult const> find(std::string_view uri, TimePoint now);

    /// A position that the caller takes before it reads a resource, so that put() can detect
    /// whether an entry was dropped in the meantime.
    using Mark = std::uint64_t;
    Mark mark() const;
    /// Caches the result until `expires`. Does nothing if the result is too large, or if an entry
    /// was dropped since the mark was taken, because the result may then be older than the change.
    void put(std::string_view uri, std::shared_ptr<ReadResourceResult const> result,
             TimePoint expires, Mark since);

    /// Must be called when the resource has changed.
    void drop(std::string_view uri);
    /// Must be called when all resources may have changed.
    void clear();

    std::size_t bytes() const;

private:
    struct Kept {
        std::string uri;
        std::shared_ptr<ReadResourceResult const> result;
        TimePoint expires;
        std::size_t bytes;
    };
    using Line = std::list<Kept>;  // most recently used first

    void erase(Line::iterator kept);

    mutable std::mutex mutex_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Mark drops_ = 0;
    Line line_;
    std::unordered_map<std::string_view, Line::iterator> index_;  // the keys refer to line_
};

}  // namespace lanyard::server
