// Error responses: the status for a condition, and the JSON-RPC error as the body.
#pragma once

#include <chrono>
#include <string_view>

#include "http/server/reply.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

/// Replies with the error. `id` is the JSON text of the request's id, or empty if the request has
/// no id or it could not be read. `retry_after` is sent with 429 and 503 only,
/// and not if the request may have been executed.
void reply_error(Reply& reply, wire::WireError const& error, std::string_view id = {},
                 rpc::MissingId missing_id = rpc::MissingId::omit,
                 std::chrono::seconds retry_after = std::chrono::seconds(1));

/// Replies to a message that needs no answer: a notification, or an answer of the client.
void reply_accepted(Reply& reply);

}  // namespace lanyard::http
