// HTTP responses that carry a JSON-RPC error, and the response 202 (Accepted).
#pragma once

#include <chrono>
#include <string_view>

#include "http/server/reply.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

/// Replies with the error and its HTTP status. `id` is the JSON text of the request's id; empty if
/// there is none or it could not be read. `missing_id` determines what stands in place of an empty
/// id. `retry_after` is sent only with 429 and 503, and not if the request may have been executed.
void reply_error(Reply& reply, wire::WireError const& error, std::string_view id = {},
                 rpc::MissingId missing_id = rpc::MissingId::omit,
                 std::chrono::seconds retry_after = std::chrono::seconds(1));

/// Replies with 202 to a message that gets no JSON-RPC response: a notification, or the client's
/// answer to a request of the server.
void reply_accepted(Reply& reply);

}  // namespace lanyard::http
