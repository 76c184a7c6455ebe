#include "server/catalog/read_cache.hpp"

namespace lanyard::server {

namespace {

std::size_t size_of(TextResourceContents const& contents) {
    return contents.text.size();
}

std::size_t size_of(BlobResourceContents const& contents) {
    return contents.blob.size();
}

// Returns the approximate memory size of a result.
std::size_t size_of(ReadResourceResult const& result) {
    std::size_t bytes = sizeof result;
    for (auto const& contents : result.contents) {
        bytes += sizeof contents;
        bytes +=
            std::visit([](auto const& held) { return held.uri.size() + size_of(held); }, contents);
    }
    return bytes;
}

}  // namespace

std::shared_ptr<ReadResourceResult const> ReadCache::find(std::string_view uri, TimePoint now) {
    std::lock_guard const lock(mutex_);
    auto const found = index_.find(uri);
    if (found == index_.end()) return nullptr;
    auto const kept = found->second;
    if (now >= kept->expires) {
        erase(kept);
        return nullptr;
    }
    line_.splice(line_.begin(), line_, kept);
    return kept->result;
}

ReadCache::Mark ReadCache::mark() const {
    std::lock_guard const lock(mutex_);
    return drops_;
}

void ReadCache::put(std::string_view uri, std::shared_ptr<ReadResourceResult const> result,
                    TimePoint expires, Mark since) {
    auto const bytes = size_of(*result) + 2 * uri.size();
    std::lock_guard const lock(mutex_);
    if (since != drops_ || bytes > max_bytes_) return;
    if (auto const found = index_.find(uri); found != index_.end()) erase(found->second);
    while (bytes_ + bytes > max_bytes_) erase(std::prev(line_.end()));
    line_.push_front(Kept{std::string(uri), std::move(result), expires, bytes});
    index_.emplace(line_.front().uri, line_.begin());
    bytes_ += bytes;
}

void ReadCache::drop(std::string_view uri) {
    std::lock_guard const lock(mutex_);
    ++drops_;
    if (auto const found = index_.find(uri); found != index_.end()) erase(found->second);
}

void ReadCache::clear() {
    std::lock_guard const lock(mutex_);
    ++drops_;
    index_.clear();
    line_.clear();
    bytes_ = 0;
}

std::size_t ReadCache::bytes() const {
    std::lock_guard const lock(mutex_);
    return bytes_;
}

void ReadCache::erase(Line::iterator kept) {
    bytes_ -= kept->bytes;
    index_.erase(kept->uri);
    line_.erase(kept);
}

}  // namespace lanyard::server
