// The states of a client's connection, and how the client reconnects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <lanyard/clock.hpp>
#include <lanyard/error.hpp>

namespace lanyard {

/// The state of a client. Calls can be made in `ready` only.
enum class ConnectionState : std::uint8_t {
    starting,      ///< the connector is opening a connection
    initializing,  ///< a connection is open; the version is being negotiated
    ready,
    backoff,  ///< waiting before the next attempt to connect
    closing,  ///< the client is being closed and releases its resources
    closed,   ///< the client has been closed; final state
    failed,   ///< the connection is lost and the client has given up; final state
};
inline constexpr std::size_t connection_state_count = 7;

/// Returns the name of the enumerator, for example "backoff".
std::string_view to_string(ConnectionState state) noexcept;

/// A change of the state of a client.
struct StateChange {
    ConnectionState from{};
    ConnectionState to{};
    WallTime at{};
    /// Why the connection was lost or could not be opened; empty for all other changes.
    std::optional<Error> reason{};
};

/// How a lost connection is opened again. By default the client waits 1 s before the first attempt.
/// Each further wait is twice as long, up to 30 s, and all waits vary at random by up to 20 %, but
/// do not exceed 30 s. The client never gives up.
class ReconnectOptions {
public:
    ReconnectOptions() = default;
    /// Returns options with which the client does not reconnect.
    static ReconnectOptions off() {
        ReconnectOptions options;
        options.enabled_ = false;
        return options;
    }

    /// The wait before the first attempt, and the longest wait. Default: 1 s and 30 s. Each wait is
    /// twice as long as the one before. If a connection lasted at least as long as the longest
    /// wait, the waits start again with the first one.
    ReconnectOptions& interval(Duration first, Duration longest) {
        first_interval_ = first;
        longest_interval_ = longest;
        return *this;
    }
    /// The random variation of each wait, as a fraction of the wait, between 0 and 1. Default: 0.2.
    /// No wait is longer than the longest one of interval(), but one may be shorter than the first.
    ReconnectOptions& jitter(double share) {
        jitter_ = share;
        return *this;
    }
    /// The maximum number of attempts to reconnect; if all fail, the state becomes
    /// ConnectionState::failed. Default: none, which means no limit.
    ReconnectOptions& max_attempts(std::uint32_t attempts) {
        max_attempts_ = attempts;
        return *this;
    }
    /// For a server that the client itself starts as a process: the maximum number of restarts, and
    /// the interval in which they are counted. Default: 5 and 30 s. Failed starts count too. When
    /// the limit is exceeded, the state becomes ConnectionState::failed.
    ReconnectOptions& restart_limit(std::size_t restarts, Duration interval) {
        max_restarts_ = restarts;
        restart_interval_ = interval;
        return *this;
    }

    bool enabled() const noexcept { return enabled_; }
    Duration first_interval() const noexcept { return first_interval_; }
    Duration longest_interval() const noexcept { return longest_interval_; }
    double jitter() const noexcept { return jitter_; }
    std::optional<std::uint32_t> max_attempts() const noexcept { return max_attempts_; }
    std::size_t max_restarts() const noexcept { return max_restarts_; }
    Duration restart_interval() const noexcept { return restart_interval_; }

private:
    bool enabled_ = true;
    Duration first_interval_ = std::chrono::seconds(1);
    Duration longest_interval_ = std::chrono::seconds(30);
    double jitter_ = 0.2;
    std::optional<std::uint32_t> max_attempts_;
    std::size_t max_restarts_ = 5;
    Duration restart_interval_ = std::chrono::seconds(30);
};

}  // namespace lanyard
