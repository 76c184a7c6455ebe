#include "client/session/connection_machine.hpp"

#include <array>

namespace lanyard {

std::string_view to_string(ConnectionState state) noexcept {
    constexpr std::array<std::string_view, connection_state_count> names{
        "starting", "initializing", "ready", "backoff", "closing", "closed", "failed"};
    return names[static_cast<std::size_t>(state)];
}

}  // namespace lanyard

namespace lanyard::client {

namespace {

BackoffOptions backoff_options(ReconnectOptions const& options) {
    BackoffOptions backoff;
    backoff.first = options.first_interval();
    backoff.longest = options.longest_interval();
    backoff.jitter = options.jitter();
    backoff.may_exceed = false;
    backoff.max_retries = options.max_attempts();
    return backoff;
}

}  // namespace

ConnectionMachine::ConnectionMachine(ReconnectOptions const& options, Random& random)
    : random_(random),
      lasting_(options.longest_interval()),
      enabled_(options.enabled()),
      backoff_(backoff_options(options)),
      restarts_({options.max_restarts(), options.restart_interval()}) {}

bool ConnectionMachine::opened() {
    if (state_ != ConnectionState::starting) return false;
    state_ = ConnectionState::initializing;
    return true;
}

bool ConnectionMachine::established(TimePoint now) {
    if (state_ != ConnectionState::initializing) return false;
    state_ = ConnectionState::ready;
    ready_since_ = now;
    ++connect_count_;
    return true;
}

bool ConnectionMachine::lost(TimePoint now) {
    bool const was_ready = state_ == ConnectionState::ready;
    if (!was_ready && state_ != ConnectionState::starting &&
        state_ != ConnectionState::initializing) {
        return false;
    }
    // The backoff is not reset if the connection was short. So the waits stay long for a server
    // that fails soon after every start.
    if (was_ready && now - ready_since_ >= lasting_) backoff_.reset();
    bool const may_try = enabled_ && (!restarts_limited_ || restarts_.restart(now));
    auto const wait = may_try ? backoff_.next(random_) : std::nullopt;
    state_ = wait ? ConnectionState::backoff : ConnectionState::failed;
    if (wait) next_attempt_ = after(now, *wait);
    return true;
}

bool ConnectionMachine::renewed(TimePoint now) {
    if (state_ != ConnectionState::ready || !enabled_) return false;
    state_ = ConnectionState::backoff;
    next_attempt_ = now;
    return true;
}

bool ConnectionMachine::on_time(TimePoint now) {
    if (now < next_attempt()) return false;
    state_ = ConnectionState::starting;
    return true;
}

bool ConnectionMachine::close() {
    if (has_ended() || state_ == ConnectionState::closing) return false;
    state_ = ConnectionState::closing;
    return true;
}

bool ConnectionMachine::released() {
    if (state_ != ConnectionState::closing) return false;
    state_ = ConnectionState::closed;
    return true;
}

}  // namespace lanyard::client
