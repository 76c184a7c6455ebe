#include "base/backoff.hpp"

#include <algorithm>

namespace lanyard {

namespace {

Duration scaled(Duration wait, double factor) noexcept {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(wait) *
                                                factor);
}

}  // namespace

std::optional<Duration> Backoff::next(Random& random) {
    if (options_.max_retries && retries_ >= *options_.max_retries) return std::nullopt;
    ++retries_;
    auto const wait = std::min(base_, options_.longest);
    base_ = std::min(scaled(wait, options_.factor), options_.longest);
    auto const varied = scaled(wait, 1 + options_.jitter * (2 * random.unit() - 1));
    return options_.may_exceed ? varied : std::min(varied, options_.longest);
}

Duration Backoff::longest_wait() const noexcept {
    return options_.may_exceed ? scaled(options_.longest, 1 + options_.jitter) : options_.longest;
}

}  // namespace lanyard
