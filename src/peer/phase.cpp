#include "peer/phase.hpp"

#include <algorithm>
#include <array>

namespace lanyard::rpc {

namespace {

template <class Phase>
constexpr std::uint8_t bit(Phase phase) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(phase));
}

/// For each phase, the set of phases that may follow.
using Successors = std::array<std::uint8_t, phase_count>;

constexpr Successors client_successors = [] {
    using enum ClientPhase;
    return Successors{
        static_cast<std::uint8_t>(bit(initializing) | bit(error) |
                                  bit(closed)),  // pre_initialization
        static_cast<std::uint8_t>(bit(initialized) | bit(error) | bit(closed)),  // initializing
        static_cast<std::uint8_t>(bit(error) | bit(closed)),                     // initialized
        static_cast<std::uint8_t>(bit(pre_initialization) | bit(closed)),        // error
        0,                                                                       // closed
    };
}();

constexpr Successors server_successors = [] {
    using enum ServerPhase;
    return Successors{
        static_cast<std::uint8_t>(bit(initialized) | bit(closed)),    // initialization
        static_cast<std::uint8_t>(bit(ready) | bit(closed)),          // initialized
        static_cast<std::uint8_t>(bit(shutting_down) | bit(closed)),  // ready
        static_cast<std::uint8_t>(bit(closed)),                       // shutting_down
        0,                                                            // closed
    };
}();

/// Whether the initialization timeout is running in this phase.
constexpr bool is_timed(ClientPhase phase) noexcept {
    return phase == ClientPhase::initializing;
}
constexpr bool is_timed(ServerPhase phase) noexcept {
    return phase < ServerPhase::ready;
}

constexpr ClientPhase after_timeout(ClientPhase) noexcept {
    return ClientPhase::error;
}
constexpr ServerPhase after_timeout(ServerPhase) noexcept {
    return ServerPhase::closed;
}

constexpr Duration default_timeout(ClientPhase) noexcept {
    return client_initialization_timeout;
}
constexpr Duration default_timeout(ServerPhase) noexcept {
    return server_initialization_timeout;
}

}  // namespace

std::string_view to_string(ClientPhase phase) noexcept {
    constexpr std::array<std::string_view, phase_count> names{"pre_initialization", "initializing",
                                                              "initialized", "error", "closed"};
    return names[static_cast<std::size_t>(phase)];
}

std::string_view to_string(ServerPhase phase) noexcept {
    constexpr std::array<std::string_view, phase_count> names{"initialization", "initialized",
                                                              "ready", "shutting_down", "closed"};
    return names[static_cast<std::size_t>(phase)];
}

bool may_follow(ClientPhase from, ClientPhase to) noexcept {
    return (client_successors[static_cast<std::size_t>(from)] & bit(to)) != 0;
}

bool may_follow(ServerPhase from, ServerPhase to) noexcept {
    return (server_successors[static_cast<std::size_t>(from)] & bit(to)) != 0;
}

template <class Phase>
PhaseMachine<Phase>::PhaseMachine(TimePoint now) : PhaseMachine(now, default_timeout(Phase{})) {}

template <class Phase>
PhaseMachine<Phase>::PhaseMachine(TimePoint now, Duration initialization_timeout)
    : initialization_timeout_(initialization_timeout),
      deadline_(is_timed(phase_) ? after(now, initialization_timeout) : never) {}

template <class Phase>
Result<void> PhaseMachine<Phase>::enter(Phase to, TimePoint now, std::string_view reason) {
    if (!may_follow(phase_, to)) {
        std::string const from_name(to_string(phase_));
        std::string const to_name(to_string(to));
        return Unexpected(Error(Errc::invalid_phase,
                                "cannot go from phase " + from_name + " to phase " + to_name,
                                R"({"from":")" + from_name + R"(","to":")" + to_name + "\"}"));
    }
    if (!is_timed(to)) {
        deadline_ = never;
    } else if (!is_timed(phase_)) {
        deadline_ = after(now, initialization_timeout_);
    }
    Transition* entry = nullptr;
    if (history_.size() < history_limit) {
        entry = &history_.emplace_back();
    } else {
        entry = &history_[oldest_];
        oldest_ = (oldest_ + 1) % history_limit;
    }
    entry->from = phase_;
    entry->to = to;
    entry->at = now;
    entry->reason.assign(reason);
    phase_ = to;
    if (observers_.empty()) return {};
    // Observers get a copy of the transition: an observer may enter another phase, which changes
    // history_ and would make a reference to the entry invalid.
    auto const transition = *entry;
    for (std::size_t i = 0; i < observers_.size(); ++i) {
        try {
            auto const observer = observers_[i];
            observer(transition);
        } catch (...) {
            // The exception is ignored: the transition has happened, and the other observers must
            // still be called.
        }
    }
    return {};
}

template <class Phase>
bool PhaseMachine<Phase>::expire(TimePoint now) {
    if (now < deadline_) return false;
    return enter(after_timeout(phase_), now, "the initialization timed out").has_value();
}

template <class Phase>
auto PhaseMachine<Phase>::history() const -> std::vector<Transition> {
    auto list = history_;
    std::ranges::rotate(list, list.begin() + static_cast<std::ptrdiff_t>(oldest_));
    return list;
}

template class PhaseMachine<ClientPhase>;
template class PhaseMachine<ServerPhase>;

}  // namespace lanyard::rpc
