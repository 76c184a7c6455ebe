// Middleware wraps every request for a feature; filters hide features from some requests.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

class Context;

/// Calls the next middleware or, after the last one, the handler. Completes with the result as
/// JSON; throws what the handler throws. May be called at most once.
using Next = std::function<Task<RawJson>()>;

/// A function that wraps every request for a feature: it runs before and after the request is
/// served. Returns the result of next() or another result, or throws to refuse the request. In a
/// tool call, a ToolError becomes a result for the model, a Refusal becomes a JSON-RPC error for
/// the host, and the code of an Error decides which of the two it becomes. In other requests, all
/// three become a JSON-RPC error.
///
/// Example (docs/snippets/class_examples.cpp#middleware):
///
///     lanyard::Task<lanyard::RawJson> guard(lanyard::Context& context, lanyard::Next next) {
///         if (context.target() == "erase" && context.identity().empty()) {
///             throw lanyard::ToolError("sign in first", lanyard::ToolErrorKind::not_allowed);
///         }
///         auto result = co_await next();
///         ++served;
///         co_return result;
///     }
///
/// Server::use() adds a middleware: `server.use(guard)`. These requests are wrapped: listing
/// features, calling a tool, reading a resource, getting a prompt, and completion. Not wrapped are
/// the handshake, pings, subscriptions, and requests that the server refuses beforehand, for
/// example because their parameters are unreadable.
///
/// Ownership: the server keeps a copy of the function. Objects that the function refers to must
/// outlive the server. Middleware that is added while a request is being served does not affect
/// that request.
///
/// Threads: called concurrently for different requests, on different threads. A coroutine may
/// continue on another thread after each co_await. With Server::run() a middleware may block; this
/// delays only its own request.
///
/// Errors: next() throws what the handler throws, for example ToolError. An exception of a
/// middleware has the same effect as an exception of the handler: unless an outer middleware
/// catches it, the client gets an error.
///
/// Pitfalls:
/// - In protocol revision 2026-07-28, a handler that asks the client a question (elicitation,
///   sampling or roots) is run again with the answer. All middleware is run again with the handler,
///   so the code before next() may run more than once for one call.
/// - When a handler asks such a question, next() ends with an exception that is not derived from
///   std::exception. Catch std::exception rather than everything, or rethrow.
/// - A result that does not come from next() is sent without a check, so it must have the form that
///   the client's protocol revision (Context::version()) requires.
using Middleware = std::function<Task<RawJson>(Context& context, Next next)>;

enum class FeatureKind : std::uint8_t { tool, resource, resource_template, prompt };

/// Returns whether the feature exists for the sender of this request. A hidden feature is neither
/// listed nor usable. `name` is the name of the tool or prompt, the resource's URI, or the URI
/// template.
using Filter = std::function<bool(FeatureKind kind, std::string_view name, Context& context)>;

}  // namespace lanyard
