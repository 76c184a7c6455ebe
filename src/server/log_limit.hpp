// LogLimit: which of the log lines that clients can cause are written.
#pragma once

#include <cstdint>

#include "lanyard/clock.hpp"
#include "lanyard/peer_facts.hpp"
#include "rpc/rate_limiter.hpp"

namespace lanyard::server {

/// Stands for what any client may have caused.
inline PeerFacts const any_client{};

/// One rate for each client, which is known by its identity, its address or else its transport, and
/// one for all of them together. Not thread-safe.
class LogLimit {
public:
    static constexpr rpc::Rate per_client{.per_second = 1, .burst = 20};
    static constexpr rpc::Rate overall{.per_second = 10, .burst = 200};

    LogLimit();

    /// Whether a line that this client has caused is written; counted if it is not.
    bool take(PeerFacts const& client, TimePoint now);
    /// How many were not, since this was last asked.
    std::uint64_t take_suppressed() noexcept;

private:
    rpc::KeyedRateLimiter clients_;
    rpc::TokenBucket all_{overall};
    std::uint64_t suppressed_ = 0;
};

}  // namespace lanyard::server
