// ReadCache: what resources contained when they were last read, for a while.
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

/// Keeps results by URI, the least recently used of them last in line when room is needed. Safe
/// from any thread.
class ReadCache {
public:
    explicit ReadCache(std::size_t max_bytes = 16 * 1024 * 1024) noexcept : max_bytes_(max_bytes) {}

    /// The result, if it was kept and its time is not over.
    std::shared_ptr<ReadResourceResult const> find(std::string_view uri, TimePoint now);

    /// Taken before a resource is read, so that put() can tell whether something was dropped while
    /// it was being read.
    using Mark = std::uint64_t;
    Mark mark() const;
    /// Keeps the result until `expires`. Does nothing where it does not fit, or where something was
    /// dropped since the mark was taken: what was read may then be older than the change.
    void put(std::string_view uri, std::shared_ptr<ReadResourceResult const> result,
             TimePoint expires, Mark since);

    /// The resource has changed.
    void drop(std::string_view uri);
    /// Everything may have changed.
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
    std::unordered_map<std::string_view, Line::iterator> index_;  // the keys are in the line
};

}  // namespace lanyard::server
