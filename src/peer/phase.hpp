// The phases of a connection on either side, and the allowed transitions (MCP specification,
// basic/lifecycle). docs/design/phases.md has the table and the messages allowed in each phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::rpc {

enum class ClientPhase : std::uint8_t {
    pre_initialization,  ///< Connected; `initialize` has not been sent.
    initializing,        ///< `initialize` has been sent, but `initialized` has not.
    initialized,         ///< Normal operation.
    error,               ///< The handshake or the connection failed.
    closed,
};

enum class ServerPhase : std::uint8_t {
    initialization,  ///< Waiting for `initialize`.
    initialized,     ///< `initialize` has been answered; waiting for `notifications/initialized`.
    ready,           ///< Normal operation.
    shutting_down,   ///< Finishing the requests in progress.
    closed,
};

inline constexpr std::size_t phase_count = 5;  // the same number for clients and servers

std::string_view to_string(ClientPhase phase) noexcept;
std::string_view to_string(ServerPhase phase) noexcept;

/// Whether `to` may come directly after `from`.
bool may_follow(ClientPhase from, ClientPhase to) noexcept;
bool may_follow(ServerPhase from, ServerPhase to) noexcept;

inline constexpr Duration client_initialization_timeout = std::chrono::seconds(10);
inline constexpr Duration server_initialization_timeout = std::chrono::seconds(60);

/// The phase of one connection, with its history. The initialization timeout of a client runs while
/// the client is initializing; that of a server runs from the start until the server is ready. Not
/// thread-safe.
template <class Phase>
class PhaseMachine {
public:
    struct Transition {
        Phase from;
        Phase to;
        TimePoint at;
        std::string reason;  ///< Empty if the transition needs no explanation.
    };
    /// Called after each transition. An exception that the observer throws is ignored.
    using Observer = std::function<void(Transition const&)>;

    explicit PhaseMachine(TimePoint now);
    PhaseMachine(TimePoint now, Duration initialization_timeout);

    Phase phase() const noexcept { return phase_; }

    /// Enters another phase. Fails with invalid_phase, naming both phases, if the transition is not
    /// allowed.
    Result<void> enter(Phase to, TimePoint now, std::string_view reason = {});

    /// The time at which the initialization times out; `never` while the timeout is not running.
    TimePoint initialization_deadline() const noexcept { return deadline_; }
    /// If the initialization has timed out, enters `error` (client) or `closed` (server) and
    /// returns true.
    bool expire(TimePoint now);

    void observe(Observer observer) { observers_.push_back(std::move(observer)); }

    /// The latest transitions, oldest first; at most history_limit of them.
    std::vector<Transition> history() const;
    static constexpr std::size_t history_limit = 16;

private:
    Phase phase_{};
    Duration initialization_timeout_;
    TimePoint deadline_;
    std::vector<Transition> history_;  // a ring buffer once it has history_limit entries
    std::size_t oldest_ = 0;
    std::vector<Observer> observers_;
};

extern template class PhaseMachine<ClientPhase>;
extern template class PhaseMachine<ServerPhase>;

}  // namespace lanyard::rpc
