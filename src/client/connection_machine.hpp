// ConnectionMachine: which state a client's connection is in, and when to try again. The table of
// transitions is in docs/design/connection.md.
#pragma once

#include <cstdint>

#include "lanyard/client/connection.hpp"
#include "lanyard/clock.hpp"
#include "rpc/backoff.hpp"
#include "rpc/restart_intensity.hpp"

namespace lanyard::client {

/// Told what has happened, it knows what is to be done: open a connection in `starting`, negotiate
/// in `initializing`, wait until next_attempt() in `backoff`, release everything in `closing`.
///
/// An event that has no place in the present state changes nothing: each function tells whether it
/// has changed the state. Not thread-safe.
class ConnectionMachine {
public:
    /// The random source must outlive this.
    ConnectionMachine(ReconnectOptions const& options, Random& random);

    /// There is nothing to connect with again.
    void never_reconnect() noexcept { enabled_ = false; }
    /// A server that is started by connecting is not started more often than the options allow.
    void limit_restarts() noexcept { restarts_limited_ = true; }

    ConnectionState state() const noexcept { return state_; }
    /// Whether no state follows.
    bool has_ended() const noexcept {
        return state_ == ConnectionState::closed || state_ == ConnectionState::failed;
    }
    /// Whether the client is not ready and may yet become so.
    bool may_become_ready() const noexcept {
        return state_ == ConnectionState::starting || state_ == ConnectionState::initializing ||
               state_ == ConnectionState::backoff;
    }

    bool opened();
    bool established(TimePoint now);
    /// Opening or negotiating failed, or the connection has ended.
    bool lost(TimePoint now);
    bool on_time(TimePoint now);
    bool close();
    /// After close(): nothing is held any more.
    bool released();

    /// When on_time() has something to do; never outside of `backoff`.
    TimePoint next_attempt() const noexcept {
        return state_ == ConnectionState::backoff ? next_attempt_ : rpc::never;
    }
    /// Whether reconnecting was tried and has been given up.
    bool has_given_up() const noexcept { return state_ == ConnectionState::failed && enabled_; }
    /// No wait is longer than this.
    Duration longest_wait() const noexcept { return backoff_.longest_wait(); }
    /// How often the client has become ready.
    std::uint64_t connections() const noexcept { return connections_; }

private:
    Random& random_;
    Duration lasting_;  // what makes the waits short again
    bool enabled_;
    rpc::Backoff backoff_;
    rpc::RestartIntensity restarts_;
    ConnectionState state_ = ConnectionState::starting;
    TimePoint next_attempt_ = rpc::never;
    TimePoint ready_since_{};
    std::uint64_t connections_ = 0;
    bool restarts_limited_ = false;
};

}  // namespace lanyard::client
