// Middleware wraps every request for a feature; filters hide features from some requests.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

class Context;

/// Calls the rest of the chain: the next middleware, finally the handler. Completes with the result
/// as JSON; throws what the handler throws. May be called at most once.
using Next = std::function<Task<RawJson>()>;

/// A function that wraps every request for a feature: it runs before and after the request is
/// served. Returns the result of next() or another result, or throws to refuse the request:
/// ToolError for the model, Refusal for the host, Error for either.
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
/// Server::use() adds it: `server.use(guard)`. Wrapped requests are lists of features, tool calls,
/// reads, prompts and completions; not the handshake, pings, subscriptions, or requests that the
/// server refuses beforehand, for example with unreadable parameters.
///
/// Ownership: the server keeps a copy of the function. Objects that the function refers to must
/// outlive the server. A request keeps the chain with which it began, also if middleware is added
/// meanwhile.
///
/// Threads: called concurrently for different requests, on different threads. A coroutine may
/// continue on another thread after each co_await. With Server::run() a middleware may block; this
/// delays only its own request.
///
/// Errors: next() throws what the handler throws, for example ToolError. An exception has the same
/// effect as one of the handler, and reaches the client unless a middleware catches it.
///
/// Pitfalls:
/// - In 2026-07-28, a handler that asks the client a question is run again with the answer, and the
///   whole chain with it. So the code before next() may run more than once for one call.
/// - When a handler asks such a question, next() ends with an exception that is not derived from
///   std::exception. Catch std::exception rather than everything, or rethrow.
/// - A result other than that of next() is sent without a check, so it must have the form that the
///   client's protocol revision (Context::version()) requires.
using Middleware = std::function<Task<RawJson>(Context& context, Next next)>;

enum class FeatureKind : std::uint8_t { tool, resource, resource_template, prompt };

/// Returns whether the feature exists for the sender of this request. A hidden feature is neither
/// listed nor usable. `name` is the name of the tool or prompt, the resource's URI, or the URI
/// template.
using Filter = std::function<bool(FeatureKind kind, std::string_view name, Context& context)>;

}  // namespace lanyard
