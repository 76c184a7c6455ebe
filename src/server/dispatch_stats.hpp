// What dispatch remembers about a handler: how fast it was, and how often it is running now.
#pragma once

#include <atomic>
#include <cstdint>

namespace lanyard::server {

/// Shared by all sessions that call the handler.
struct DispatchStats {
    /// Calls in a row that were fast; a slow one starts anew.
    std::atomic<std::uint32_t> fast_calls = 0;
    std::atomic<std::uint32_t> running = 0;
    /// It has kept a loop for too long, and runs elsewhere from then on.
    std::atomic<bool> lost = false;
};

}  // namespace lanyard::server
