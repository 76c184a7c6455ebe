// SessionCounts: limits the sessions of an endpoint, in total and for each principal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "lanyard/auth/verifier.hpp"
#include "lanyard/http/mcp_options.hpp"

namespace lanyard::http {

/// Whether another session may be opened. If not, which limit is reached.
enum class SessionRoom : std::uint8_t { enough, full, full_for_principal };

/// Shared by all loops of a listener. Thread-safe. A principal may be null.
class SessionCounts {
public:
    explicit SessionCounts(McpHttpOptions const& options) noexcept
        : most_(options.max_sessions()),
          most_per_principal_(options.max_sessions_per_principal()) {}

    SessionRoom room_for(Principal const* principal) const {
        std::lock_guard const lock(mutex_);
        if (all_ >= most_) return SessionRoom::full;
        return principal != nullptr && find(*principal) >= most_per_principal_
                   ? SessionRoom::full_for_principal
                   : SessionRoom::enough;
    }
    void add(Principal const* principal) {
        std::lock_guard const lock(mutex_);
        if (principal != nullptr) ++by_principal_[principal->identity()];
        ++all_;
    }
    void remove(Principal const* principal) noexcept {
        std::lock_guard const lock(mutex_);
        --all_;
        if (principal == nullptr) return;
        auto const count = by_principal_.find(principal->identity());
        if (--count->second == 0) by_principal_.erase(count);
    }
    /// The number of sessions of this principal.
    std::size_t count_of(Principal const& principal) const {
        std::lock_guard const lock(mutex_);
        return find(principal);
    }

private:
    std::size_t find(Principal const& principal) const {
        auto const at = by_principal_.find(principal.identity());
        return at != by_principal_.end() ? at->second : 0;
    }

    std::size_t most_;
    std::size_t most_per_principal_;
    mutable std::mutex mutex_;
    std::size_t all_ = 0;
    std::unordered_map<std::string, std::size_t> by_principal_;
};

}  // namespace lanyard::http
