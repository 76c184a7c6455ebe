// Answers that are errors: the status that goes with a condition, and the JSON-RPC error as body.
#pragma once

#include <chrono>
#include <string_view>

#include "http/reply.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

/// The error as the whole answer. `id` is the JSON text of the request's id, empty where it has
/// none or it could not be read. A status that asks the client to come back later says when.
void reply_error(Reply& reply, wire::WireError const& error, std::string_view id = {},
                 rpc::MissingId missing_id = rpc::MissingId::omit,
                 std::chrono::seconds retry_after = std::chrono::seconds(1));

/// The answer to what needs none: a notification, or an answer of the client.
void reply_accepted(Reply& reply);

}  // namespace lanyard::http
