// Results that ask for input first: the client answers the questions and sends the request again
// (MCP specification, basic/patterns/mrtr; from protocol revision 2026-07-28).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "client/session/questions.hpp"
#include "lanyard/client/call_options.hpp"
#include "lanyard/protocol/input_required.hpp"
#include "lanyard/task.hpp"

namespace lanyard::client {

class ClientSession;

/// Throws Error (failed) if the server has asked for input in too many rounds of this call.
void check_round(ClientSession& session, std::string_view method, std::size_t round);

/// Checks whether a call may be sent again with the answers to its questions. Throws Error
/// (cancelled) if the caller has requested a stop. Throws Error (transport_down) if the client has
/// reconnected with a protocol version in which calls are not repeated in this way.
void check_retry(ClientSession const& session, CallOptions const& options);

/// Answers every question with a handler of the call (`of_call`, may be null) or, if the call has
/// none, with a handler of the client. Completes with the members that the retry adds to the
/// params. Throws Error (protocol_violation) if the client has not declared the capability for a
/// question. If a handler throws an Error, that Error is thrown; any other exception becomes Error
/// (failed).
Task<InputRetry> answer_questions(std::shared_ptr<ClientSession> session, InputRequiredResult asked,
                                  std::shared_ptr<CallHandlers const> of_call);

}  // namespace lanyard::client
