// When a client connects again: to a stream that has ended, and for a request that was never sent.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <lanyard/clock.hpp>

#include "rpc/backoff.hpp"

namespace lanyard::http {

/// For a request of which nothing has left this machine: three more tries after 1, 2 and 4 seconds.
inline constexpr rpc::BackoffOptions unsent_retry{std::chrono::seconds(1), std::chrono::seconds(4),
                                                  2, 0.2, 3};

struct ReconnectOptions {
    /// Where the server says nothing.
    Duration wait = std::chrono::seconds(5);
    /// What is added after connections that brought nothing.
    rpc::BackoffOptions backoff{std::chrono::seconds(1), std::chrono::seconds(30), 2, 0.2, 10};
};

/// How long to wait before a stream is resumed. The server's `retry` is kept to exactly (never
/// shorter, which the protocol demands) as long as connections bring events. Two backoffs slow a
/// client down: one for connections that bring no event, and one for connections that bring events
/// and end at once, again and again.
class Reconnect {
public:
    /// The shortest wait, whatever `retry` says.
    static constexpr Duration shortest = std::chrono::milliseconds(100);
    /// A stream that was open for less time has ended at once.
    static constexpr Duration lasting = std::chrono::seconds(1);
    /// So many streams in a row may end at once before the waits between them grow.
    static constexpr int max_short = 100;

    explicit Reconnect(ReconnectOptions const& options = {}) noexcept
        : wait_(options.wait), backoff_(options.backoff) {}

    /// The stream is open.
    void on_open(TimePoint now) noexcept { opened_ = now; }

    /// The stream has said how long to wait.
    void on_retry(std::chrono::milliseconds wait) noexcept { wait_ = wait; }
    /// An event has arrived.
    void on_event() noexcept { fruitless_ = false; }

    /// The connection has ended, or could not be made: the wait before the next one, or nothing
    /// where it is time to give up.
    std::optional<Duration> on_end(TimePoint now, Random& random);

private:
    /// From the shortest wait to the one that is usual if the server says nothing.
    static constexpr rpc::BackoffOptions short_backoff{shortest, std::chrono::seconds(5), 2, 0.2,
                                                       std::nullopt};

    bool ended_at_once(TimePoint now);

    Duration wait_;
    rpc::Backoff backoff_;
    rpc::Backoff after_short_{short_backoff};
    std::optional<TimePoint> opened_;
    int short_ = 0;           // streams in a row that ended at once
    bool fruitless_ = false;  // the last connection has brought nothing
};

}  // namespace lanyard::http
