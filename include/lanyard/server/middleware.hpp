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

/// Runs before and after a request is served. Returns the result of next() or another result, or
/// throws to refuse the request: ToolError for the model, Refusal for the host, Error for either.
using Middleware = std::function<Task<RawJson>(Context& context, Next next)>;

enum class FeatureKind : std::uint8_t { tool, resource, resource_template, prompt };

/// Returns whether the feature exists for the sender of this request. A hidden feature is neither
/// listed nor usable. `name` is the name of the tool or prompt, the resource's URI, or the URI
/// template.
using Filter = std::function<bool(FeatureKind kind, std::string_view name, Context& context)>;

}  // namespace lanyard
