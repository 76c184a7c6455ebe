// Statistics about a handler, used to choose its thread: its recent speed, and its running calls.
#pragma once

#include <atomic>
#include <cstdint>

namespace lanyard::server {

/// Shared by all sessions that call the handler.
struct DispatchStats {
    /// The number of consecutive fast calls; a slow call resets it.
    std::atomic<std::uint32_t> fast_calls = 0;
    std::atomic<std::uint32_t> running = 0;
    /// Set when the handler has blocked a loop for too long; from then on it does not run on loops.
    std::atomic<bool> lost = false;
};

}  // namespace lanyard::server
