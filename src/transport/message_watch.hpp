// MessageWatch: the time limit for a message that arrives in pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "base/deadline.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/time_source.hpp"

namespace lanyard::transport {

/// Limits the time in which a message must arrive completely. The time limit is extended by one
/// second per 16 KiB received. Allocates nothing until the first message arrives in pieces. Must be
/// used on the executor of the connection.
class MessageWatch {
public:
    /// Duration::max() means no limit.
    MessageWatch(TimeSource& time, Duration timeout) noexcept : time_(time), timeout_(timeout) {}

    /// To be called when `bytes` bytes of an unfinished message have arrived. `is_new` is whether
    /// the previous call was for a different message. `on_due` is called when the time limit may
    /// have passed, and must call expire().
    void begin(boost::asio::any_io_executor const& executor, std::size_t bytes, bool is_new,
               std::function<void()> on_due);
    /// To be called when no message is unfinished.
    void end() noexcept { since_ = never; }
    /// Returns true if the time limit has passed; from then on, is_late() is true. Otherwise,
    /// `on_due` will be called again if a message is unfinished. `bytes` has the same meaning as
    /// for begin(). `waits` is whether the socket holds bytes that were not read yet. If so, the
    /// message gets one more second.
    bool expire(std::size_t bytes, bool waits);
    bool is_late() const noexcept { return late_; }

private:
    TimePoint deadline(std::size_t bytes) const noexcept;

    TimeSource& time_;
    Duration timeout_;
    std::unique_ptr<Alarm> alarm_;
    TimePoint since_ = never;  // when the unfinished message began; `never` if there is none
    bool armed_ = false;
    bool late_ = false;
};

}  // namespace lanyard::transport
