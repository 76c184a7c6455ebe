// ConnectionCounts: limits the connections of a listener, in total and for each address.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace lanyard::http {

/// Shared by all loops of a listener. Thread-safe. Must be created with std::make_shared.
class ConnectionCounts : public std::enable_shared_from_this<ConnectionCounts> {
public:
    /// One connection in the counts, as long as this object exists.
    class Place {
    public:
        Place() = default;
        Place(Place&& other) noexcept
            : counts_(std::exchange(other.counts_, nullptr)), address_(std::move(other.address_)) {}
        Place& operator=(Place&& other) noexcept {
            std::swap(counts_, other.counts_);
            std::swap(address_, other.address_);
            return *this;
        }
        ~Place() { leave(); }

        /// Ends the place early.
        void leave() noexcept {
            if (auto const counts = std::exchange(counts_, nullptr)) counts->remove(address_);
        }
        explicit operator bool() const noexcept { return counts_ != nullptr; }
        /// The peer's address without its port.
        std::string const& address() const noexcept { return address_; }

    private:
        friend class ConnectionCounts;
        Place(std::shared_ptr<ConnectionCounts> counts, std::string address) noexcept
            : counts_(std::move(counts)), address_(std::move(address)) {}

        std::shared_ptr<ConnectionCounts> counts_;
        std::string address_;
    };

    /// If `most_per_address` is zero, connections from one address are not limited.
    ConnectionCounts(std::size_t most, std::size_t most_per_address) noexcept
        : most_(most), most_per_address_(most_per_address) {}

    /// Counts a connection from this address. If a limit is reached, returns a place that is false.
    Place add(std::string address) {
        std::lock_guard const lock(mutex_);
        if (all_ >= most_) return {};
        if (most_per_address_ > 0) {
            auto& count = by_address_[address];
            if (count >= most_per_address_) return {};
            ++count;
        }
        ++all_;
        return {shared_from_this(), std::move(address)};
    }

private:
    void remove(std::string const& address) noexcept {
        std::lock_guard const lock(mutex_);
        --all_;
        if (most_per_address_ == 0) return;
        auto const at = by_address_.find(address);
        if (--at->second == 0) by_address_.erase(at);
    }

    std::size_t most_;
    std::size_t most_per_address_;
    std::mutex mutex_;
    std::size_t all_ = 0;
    std::unordered_map<std::string, std::size_t> by_address_;
};

}  // namespace lanyard::http
