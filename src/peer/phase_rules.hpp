// Which messages may be sent and received in which phase (MCP specification, basic/lifecycle).
// Responses are not listed, because they are allowed whenever their request was allowed.
#pragma once

#include <string_view>

#include "peer/phase.hpp"

namespace lanyard::rpc {

// These functions succeed if the message is allowed. Otherwise the error gives the reason:
// `not_initialized` before the handshake is complete, `invalid_phase` for a misplaced `initialize`,
// `unavailable` while the client's connection is broken, `shutdown` while the server is stopping,
// and `closed` when the connection is closed.

Result<void> may_send_request(ClientPhase phase, std::string_view method);
Result<void> may_send_request(ServerPhase phase, std::string_view method);
Result<void> may_send_notification(ClientPhase phase, std::string_view method);
Result<void> may_send_notification(ServerPhase phase, std::string_view method);

/// Checks a request that was received. A refused request must be answered with the error.
Result<void> may_take_request(ClientPhase phase, std::string_view method);
Result<void> may_take_request(ServerPhase phase, std::string_view method);
/// Like may_take_request(), but returns false instead of an Error if the request is refused.
bool takes_request(ServerPhase phase, std::string_view method) noexcept;

/// Checks a notification that was received. A refused notification must be dropped.
Result<void> may_take_notification(ClientPhase phase, std::string_view method);
Result<void> may_take_notification(ServerPhase phase, std::string_view method);

}  // namespace lanyard::rpc
