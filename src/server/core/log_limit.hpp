// LogLimit: limits the log lines that clients can cause.
#pragma once

#include <cstdint>

#include "base/rate_limiter.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/peer_info.hpp"

namespace lanyard::server {

/// The peer information to use for an event that no particular client has caused.
inline PeerInfo const any_client{};

/// One rate limit for each client, and one for all clients together. A client is recognized by its
/// identity, address or transport. Not thread-safe.
class LogLimit {
public:
    static constexpr Rate per_client{.per_second = 1, .burst = 20};
    static constexpr Rate overall{.per_second = 10, .burst = 200};

    LogLimit();

    /// Whether to write a line that this client has caused; if not, the line is counted as
    /// suppressed.
    bool take(PeerInfo const& client, TimePoint now);
    /// Returns the number of lines that were suppressed since the previous call of this function.
    std::uint64_t take_suppressed() noexcept;

private:
    KeyedRateLimiter clients_;
    TokenBucket all_{overall};
    std::uint64_t suppressed_ = 0;
};

}  // namespace lanyard::server
