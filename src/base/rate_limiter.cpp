#include "base/rate_limiter.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace lanyard {

namespace {

constexpr double second = 1e9;  // in nanoseconds
constexpr double year = 3.2e7 * second;

Duration time_for_one(double per_second) noexcept {
    // Rounded up, so that the rate is never exceeded. NaN and rates that are not positive become
    // the lowest rate.
    double const nanoseconds = std::ceil(second / per_second);
    if (!(nanoseconds < year) || per_second <= 0) return Duration(static_cast<std::int64_t>(year));
    return Duration(std::max(std::int64_t{1}, static_cast<std::int64_t>(nanoseconds)));
}

// Returns one * count, but at most a quarter of the largest Duration, so that adding a few such
// values cannot overflow.
Duration times(Duration one, std::uint32_t count) noexcept {
    if (count != 0 && one > Duration::max() / 4 / count) return Duration::max() / 4;
    return one * count;
}

}  // namespace

TokenBucket::TokenBucket(Rate rate) noexcept
    : interval_(time_for_one(rate.per_second)), depth_(times(interval_, rate.burst)) {}

bool TokenBucket::take(TimePoint now, std::uint32_t tokens) noexcept {
    if (wait(now, tokens) != Duration::zero()) return false;
    full_at_ = after(std::max(full_at_, now), times(interval_, tokens));
    return true;
}

Duration TokenBucket::wait(TimePoint now, std::uint32_t tokens) const noexcept {
    auto const need = times(interval_, tokens);
    if (need > depth_) return no_limit;
    if (full_at_ <= now) return Duration::zero();
    return std::max(Duration::zero(), full_at_ - now + need - depth_);
}

bool KeyedRateLimiter::take(std::string_view key, TimePoint now, std::uint32_t tokens) {
    auto slot = find(key);
    if (slot == buckets_.none) {
        if (buckets_.indexed() >= options_.max_keys && !make_room(now)) return false;
        slot = buckets_.add(hash(key));
        buckets_[slot].key.assign(key);
        buckets_[slot].bucket = TokenBucket(options_.rate);
        full_.add(slot, now);
    }
    return buckets_[slot].bucket.take(now, tokens);
}

std::uint64_t KeyedRateLimiter::hash(std::string_view key) const noexcept {
    return mix(std::hash<std::string_view>{}(key) ^ options_.hash_seed);
}

std::uint32_t KeyedRateLimiter::find(std::string_view key) const {
    return buckets_.find(hash(key), [key](Bucket const& bucket) { return bucket.key == key; });
}

bool KeyedRateLimiter::make_room(TimePoint now) {
    while (full_.next() <= now) {
        auto const slot = full_.top();
        auto const full_at = buckets_[slot].bucket.full_at();
        if (full_at > now) {
            full_.move(slot, full_at);
            continue;
        }
        full_.remove(slot);
        buckets_.unindex(hash(buckets_[slot].key), slot);
        buckets_.recycle(slot);
        return true;
    }
    return false;
}

}  // namespace lanyard
