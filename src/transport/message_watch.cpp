#include "transport/message_watch.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

namespace lanyard::transport {

namespace {

// A message that arrives at least this fast does not time out.
constexpr std::size_t slowest_bytes_per_second = std::size_t{16} * 1024;
// How much longer a message may take while received bytes wait to be read.
constexpr Duration more_time = std::chrono::seconds(1);

}  // namespace

TimePoint MessageWatch::deadline(std::size_t bytes) const noexcept {
    auto const earned =
        std::chrono::seconds(static_cast<std::int64_t>(bytes / slowest_bytes_per_second));
    return after(after(since_, timeout_), earned);
}

void MessageWatch::begin(boost::asio::any_io_executor const& executor, std::size_t bytes,
                         bool is_new, std::function<void()> on_due) {
    if (timeout_ == Duration::max() || late_) return;
    if (is_new || since_ == never) since_ = time_.now();
    // An alarm that was set for an earlier message is not changed now. When that alarm goes off,
    // expire() sets the alarm for this message.
    if (armed_) return;
    if (!alarm_) alarm_ = time_.make_alarm(executor, std::move(on_due));
    alarm_->set(deadline(bytes));
    armed_ = true;
}

bool MessageWatch::expire(std::size_t bytes, bool waits) {
    armed_ = false;
    if (since_ == never || late_) return false;
    auto const now = time_.now();
    auto const due = deadline(bytes);
    late_ = now >= due && !waits;
    if (late_) return true;
    alarm_->set(now < due ? due : after(now, more_time));
    armed_ = true;
    return false;
}

}  // namespace lanyard::transport
