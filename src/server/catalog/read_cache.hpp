// ReadCache: caches the results of reading resources for a limited time.
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

    /// The number of calls of drop() and clear() so far. A caller gets the mark before it reads a
    /// resource, and passes the mark to put(). So put() can detect whether a resource has changed
    /// in the meantime.
    using Mark = std::uint64_t;
    Mark mark() const;
    /// Caches the result until `expires`. Does nothing if the result is too large, or if a resource
    /// has changed since the mark was taken: the result may then be older than the change.
    void put(std::string_view uri, std::shared_ptr<ReadResourceResult const> result,
             TimePoint expires, Mark since);

    /// Removes the result of one resource. Must be called when the resource has changed.
    void drop(std::string_view uri);
    /// Removes all results. Must be called when any resource may have changed.
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
    // The keys are views of the URIs in line_.
    std::unordered_map<std::string_view, Line::iterator> index_;
};

}  // namespace lanyard::server
