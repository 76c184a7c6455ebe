#include "peer/phase_rules.hpp"

#include <array>

namespace lanyard::rpc {

namespace {

/// Sets of methods.
enum class Allowed : std::uint8_t {
    nothing,
    ping,
    handshake,  // `initialize` and `ping`
    operation,  // every request but `initialize`
    cancelled,
    log,      // `notifications/message` and `notifications/cancelled`
    confirm,  // `notifications/initialized` and `notifications/cancelled`
    anything,
};

bool admits(Allowed allowed, std::string_view method) noexcept {
    constexpr std::string_view cancelled = "notifications/cancelled";
    switch (allowed) {
        case Allowed::nothing:
            return false;
        case Allowed::ping:
            return method == "ping";
        case Allowed::handshake:
            return method == "initialize" || method == "ping";
        case Allowed::operation:
            return method != "initialize";
        case Allowed::cancelled:
            return method == cancelled;
        case Allowed::log:
            return method == cancelled || method == "notifications/message";
        case Allowed::confirm:
            return method == cancelled || method == "notifications/initialized";
        case Allowed::anything:
            break;
    }
    return true;
}

struct Rules {
    Allowed send_request;
    Allowed send_notification;
    Allowed take_request;
    Allowed take_notification;
    Errc refusal;
};

using enum Allowed;

constexpr std::array<Rules, phase_count> client_rules{{
    {handshake, cancelled, ping, log, Errc::not_initialized},         // pre_initialization
    {ping, confirm, ping, log, Errc::not_initialized},                // initializing
    {operation, anything, operation, anything, Errc::invalid_phase},  // initialized
    {nothing, nothing, nothing, nothing, Errc::unavailable},          // error
    {nothing, nothing, nothing, nothing, Errc::closed},               // closed
}};

constexpr std::array<Rules, phase_count> server_rules{{
    {ping, log, handshake, cancelled, Errc::not_initialized},        // initialization
    {ping, log, anything, confirm, Errc::not_initialized},           // initialized
    {operation, anything, anything, anything, Errc::invalid_phase},  // ready
    {operation, anything, ping, anything, Errc::shutdown},           // shutting_down
    {nothing, nothing, nothing, nothing, Errc::closed},              // closed
}};

Rules const& rules(ClientPhase phase) noexcept {
    return client_rules[static_cast<std::size_t>(phase)];
}
Rules const& rules(ServerPhase phase) noexcept {
    return server_rules[static_cast<std::size_t>(phase)];
}

template <class Phase>
Result<void> check(Phase phase, Allowed Rules::* which, std::string_view method) {
    auto const& rule = rules(phase);
    if (admits(rule.*which, method)) return {};
    // For an `initialize`, the error not_initialized would be misleading: such a message is refused
    // because it was repeated or was sent by the wrong side.
    bool const repeated = method == "initialize" && rule.refusal == Errc::not_initialized;
    return Unexpected(
        Error(repeated ? Errc::invalid_phase : rule.refusal,
              std::string(method) + " is not allowed in phase " + std::string(to_string(phase)),
              R"({"phase":")" + std::string(to_string(phase)) + "\"}"));
}

}  // namespace

Result<void> may_send_request(ClientPhase phase, std::string_view method) {
    return check(phase, &Rules::send_request, method);
}
Result<void> may_send_request(ServerPhase phase, std::string_view method) {
    return check(phase, &Rules::send_request, method);
}
Result<void> may_send_notification(ClientPhase phase, std::string_view method) {
    return check(phase, &Rules::send_notification, method);
}
Result<void> may_send_notification(ServerPhase phase, std::string_view method) {
    return check(phase, &Rules::send_notification, method);
}
Result<void> may_take_request(ClientPhase phase, std::string_view method) {
    return check(phase, &Rules::take_request, method);
}
Result<void> may_take_request(ServerPhase phase, std::string_view method) {
    return check(phase, &Rules::take_request, method);
}
bool takes_request(ServerPhase phase, std::string_view method) noexcept {
    return admits(rules(phase).take_request, method);
}
Result<void> may_take_notification(ClientPhase phase, std::string_view method) {
    return check(phase, &Rules::take_notification, method);
}
Result<void> may_take_notification(ServerPhase phase, std::string_view method) {
    return check(phase, &Rules::take_notification, method);
}

}  // namespace lanyard::rpc
