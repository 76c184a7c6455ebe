// Reconnect: decides when a client reopens a stream that has ended. unsent_backoff(): decides when
// a client retries a request of which no byte was sent.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/backoff.hpp"
#include "lanyard/clock.hpp"

namespace lanyard::http {

/// Returns the backoff for retries of a request of which no byte was sent. By default there are
/// three retries, after 1, 2 and 4 seconds.
constexpr BackoffOptions unsent_backoff(std::uint32_t retries = 3,
                                        Duration first = std::chrono::seconds(1)) noexcept {
    constexpr Duration longest = std::chrono::seconds(30);
    return {first, std::max(first, longest), 2, 0.2, retries};
}

struct RetryPolicy {
    /// The wait before a stream is opened again, if the server has sent no `retry`.
    Duration wait = std::chrono::seconds(5);
    /// The additional wait if the last connection delivered no event.
    BackoffOptions backoff{std::chrono::seconds(1), std::chrono::seconds(30), 2, 0.2, 10};
};

/// Computes how long to wait before a stream is opened again. The wait is at least the time that
/// the server has sent in a `retry` field, as the protocol requires. Two backoffs lengthen this
/// wait: one if connections deliver no event, and one if many connections in a row end within a
/// second.
class Reconnect {
public:
    /// The shortest wait, even if the server's `retry` is less.
    static constexpr Duration shortest = std::chrono::milliseconds(100);
    /// A stream that was open for less than this counts as short.
    static constexpr Duration lasting = std::chrono::seconds(1);
    /// The number of short streams in a row after which the waits grow.
    static constexpr int max_short = 100;

    explicit Reconnect(RetryPolicy const& options = {}) noexcept
        : wait_(options.wait), backoff_(options.backoff) {}

    /// Called when the stream has been opened.
    void on_open(TimePoint now) noexcept { opened_ = now; }

    /// Called when the server has sent a `retry` field. `wait` is used from now on.
    void on_retry(std::chrono::milliseconds wait) noexcept { wait_ = wait; }
    /// Called when an event has arrived.
    void on_event() noexcept { fruitless_ = false; }

    /// Called when the stream has ended or could not be opened. Returns the wait before the next
    /// attempt; nullopt if there should be no further attempt.
    std::optional<Duration> on_end(TimePoint now, Random& random);

private:
    /// The additional wait after more than max_short short streams in a row. It begins with
    /// `shortest` and doubles with each further short stream, up to 5 seconds.
    static constexpr BackoffOptions short_backoff{shortest, std::chrono::seconds(5), 2, 0.2,
                                                  std::nullopt};

    bool ended_at_once(TimePoint now);

    Duration wait_;
    Backoff backoff_;
    Backoff after_short_{short_backoff};
    std::optional<TimePoint> opened_;
    int short_ = 0;           // number of short streams in a row
    bool fruitless_ = false;  // the last connection has delivered no event
};

}  // namespace lanyard::http
