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
/// shorter, which the protocol demands), as long as connections bring events; a server that only
/// breaks off is asked less and less often.
class Reconnect {
public:
    /// Never shorter, so that a `retry` of zero does not make a busy loop.
    static constexpr Duration shortest = std::chrono::milliseconds(10);

    explicit Reconnect(ReconnectOptions const& options = {}) noexcept
        : wait_(options.wait), backoff_(options.backoff) {}

    /// The stream has said how long to wait.
    void on_retry(std::chrono::milliseconds wait) noexcept { wait_ = wait; }
    /// An event has arrived.
    void on_event() noexcept { fruitless_ = false; }

    /// The connection has ended, or could not be made: the wait before the next one, or nothing
    /// where it is time to give up.
    std::optional<Duration> on_end(Random& random);

private:
    Duration wait_;
    rpc::Backoff backoff_;
    bool fruitless_ = false;  // the last connection has brought nothing
};

}  // namespace lanyard::http
