// The states of a client's connection, and how it is opened again after it was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <lanyard/clock.hpp>

namespace lanyard {

/// Where a client stands. Calls can be made in `ready` only.
enum class ConnectionState : std::uint8_t {
    starting,      ///< the connector is opening a connection
    initializing,  ///< a connection is open; the server is asked what it speaks
    ready,
    backoff,  ///< waiting before the next attempt
    closing,  ///< this side closes; what is held is being released
    closed,   ///< this side has closed: the end
    failed,   ///< the connection is lost and no more attempts are made: the end
};
inline constexpr std::size_t connection_state_count = 7;

/// The name of the enumerator: "backoff".
std::string_view to_string(ConnectionState state) noexcept;

/// How a lost connection is opened again. The default waits 1 s, then twice as long each time up to
/// 30 s, each wait 20 % shorter to 20 % longer by chance, and never gives up.
class ReconnectOptions {
public:
    ReconnectOptions() = default;
    /// The first connection is the last.
    static ReconnectOptions off() {
        ReconnectOptions options;
        options.enabled_ = false;
        return options;
    }

    /// The first wait and the longest. The waits start again at the first after a connection that
    /// has lasted as long as the longest.
    ReconnectOptions& wait(Duration first, Duration longest) {
        first_wait_ = first;
        longest_wait_ = longest;
        return *this;
    }
    /// By what share a wait may be shorter or longer.
    ReconnectOptions& jitter(double share) {
        jitter_ = share;
        return *this;
    }
    /// After how many attempts the client fails for good.
    ReconnectOptions& max_attempts(std::uint32_t attempts) {
        max_attempts_ = attempts;
        return *this;
    }
    /// How often a server that this client starts itself may be started again in so much time,
    /// whether starting it succeeds or not; beyond that the client fails for good. 5 times in 30 s
    /// where not set.
    ReconnectOptions& restart_limit(std::size_t restarts, Duration window) {
        max_restarts_ = restarts;
        restart_window_ = window;
        return *this;
    }

    bool enabled() const noexcept { return enabled_; }
    Duration first_wait() const noexcept { return first_wait_; }
    Duration longest_wait() const noexcept { return longest_wait_; }
    double jitter() const noexcept { return jitter_; }
    std::optional<std::uint32_t> max_attempts() const noexcept { return max_attempts_; }
    std::size_t max_restarts() const noexcept { return max_restarts_; }
    Duration restart_window() const noexcept { return restart_window_; }

private:
    bool enabled_ = true;
    Duration first_wait_ = std::chrono::seconds(1);
    Duration longest_wait_ = std::chrono::seconds(30);
    double jitter_ = 0.2;
    std::optional<std::uint32_t> max_attempts_;
    std::size_t max_restarts_ = 5;
    Duration restart_window_ = std::chrono::seconds(30);
};

}  // namespace lanyard
