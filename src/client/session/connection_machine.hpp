// ConnectionMachine: the state of a client's connection, and when to reconnect. The table of
// transitions is in docs/design/connection.md.
#pragma once

#include <cstdint>

#include "base/backoff.hpp"
#include "base/restart_intensity.hpp"
#include "lanyard/client/connection.hpp"
#include "lanyard/clock.hpp"

namespace lanyard::client {

/// The owner (ConnectionKeeper) acts on the state: it opens a connection in `starting`, negotiates
/// in `initializing`, waits until next_attempt() in `backoff`, and releases everything in
/// `closing`.
///
/// Each event function returns whether it has changed the state; an event that does not apply to
/// the current state changes nothing. Not thread-safe.
class ConnectionMachine {
public:
    /// The random source must outlive this object.
    ConnectionMachine(ReconnectOptions const& options, Random& random);

    /// Disables reconnecting, for a client without a connector.
    void never_reconnect() noexcept { enabled_ = false; }
    /// Applies the options' limit on restarts. To be called if each connection starts the server
    /// anew, as a child process.
    void limit_restarts() noexcept { restarts_limited_ = true; }

    ConnectionState state() const noexcept { return state_; }
    /// Whether the state is final.
    bool has_ended() const noexcept {
        return state_ == ConnectionState::closed || state_ == ConnectionState::failed;
    }
    /// Whether the client is not ready but may still become ready.
    bool may_become_ready() const noexcept {
        return state_ == ConnectionState::starting || state_ == ConnectionState::initializing ||
               state_ == ConnectionState::backoff;
    }

    bool opened();
    bool established(TimePoint now);
    /// Called when opening or negotiating has failed, or when the connection has ended.
    bool lost(TimePoint now);
    /// Called when a working connection must be replaced. The next attempt is due at once and does
    /// not count towards the limits on reconnects after a loss.
    bool renewed(TimePoint now);
    bool on_time(TimePoint now);
    bool close();
    /// Called after close(), when everything has been released.
    bool released();

    /// The time at which to call on_time(); TimePoint::max() outside of `backoff`.
    TimePoint next_attempt() const noexcept {
        return state_ == ConnectionState::backoff ? next_attempt_ : never;
    }
    /// Whether the client has given up reconnecting.
    bool has_given_up() const noexcept { return state_ == ConnectionState::failed && enabled_; }
    /// The longest wait between attempts.
    Duration longest_wait() const noexcept { return backoff_.longest_wait(); }
    /// The number of times the client has become ready.
    std::uint64_t connect_count() const noexcept { return connect_count_; }

private:
    Random& random_;
    Duration lasting_;  // a connection that lasted this long resets the backoff
    bool enabled_;
    Backoff backoff_;
    RestartIntensity restarts_;
    ConnectionState state_ = ConnectionState::starting;
    TimePoint next_attempt_ = never;
    TimePoint ready_since_{};
    std::uint64_t connect_count_ = 0;
    bool restarts_limited_ = false;
};

}  // namespace lanyard::client
