// ClientLogLimit: the rate limit of the log messages for a client.
#pragma once

#include <optional>

#include "base/rate_limiter.hpp"
#include "lanyard/protocol/logging.hpp"

namespace lanyard::server {

/// 200 messages at once, and 100 per second in the long run. Messages from the level `error` on are
/// always allowed, but count, too. Not thread-safe.
class ClientLogLimit {
public:
    bool allows(LoggingLevel level, TimePoint now) {
        if (!bucket_) bucket_.emplace(Rate{.per_second = 100, .burst = 200});
        return bucket_->take(now) || level >= LoggingLevel::error;
    }
    void reset() noexcept { bucket_.reset(); }

private:
    std::optional<TokenBucket> bucket_;  // set after the first message
};

}  // namespace lanyard::server
