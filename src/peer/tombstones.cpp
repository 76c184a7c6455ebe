#include "peer/tombstones.hpp"

namespace lanyard::rpc {

void Tombstones::add(std::int64_t id, TimePoint now) {
    if (options_.capacity == 0) return;
    if (by_age_.empty()) next_sweep_ = after(now, options_.sweep_interval);
    if (by_age_.size() == options_.capacity) {
        forget_oldest();
        ++evicted_;
    }
    if (expiry_.insert_or_assign(id, after(now, options_.ttl)).second) by_age_.push_back(id);
}

bool Tombstones::contains(std::int64_t id, TimePoint now) const noexcept {
    auto const found = expiry_.find(id);
    return found != expiry_.end() && now < found->second;
}

void Tombstones::sweep(TimePoint now) {
    if (now < next_sweep()) return;
    while (!by_age_.empty() && expiry_.find(by_age_.front())->second <= now) forget_oldest();
    next_sweep_ = after(now, options_.sweep_interval);
}

void Tombstones::forget_oldest() {
    expiry_.erase(by_age_.front());
    by_age_.pop_front();
}

}  // namespace lanyard::rpc
