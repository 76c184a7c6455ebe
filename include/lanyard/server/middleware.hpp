// Middleware: code around every request for a feature; and filters, which hide features from some.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

class Context;

/// What comes after a middleware: the next one, at last the handler. Completes with the result as
/// JSON; throws what the handler throws. To be called at most once.
using Next = std::function<Task<RawJson>()>;

/// Sees a request before and after it is served. It returns what next() gives or something else, or
/// throws to refuse: ToolError for the model, Refusal for the host, Error for either.
using Middleware = std::function<Task<RawJson>(Context& context, Next next)>;

enum class FeatureKind : std::uint8_t { tool, resource, resource_template, prompt };

/// Whether the feature exists for whoever sends this request. What is hidden is not listed and
/// cannot be used. The name is that of the tool or prompt, the URI or the URI template.
using Filter = std::function<bool(FeatureKind kind, std::string_view name, Context& context)>;

}  // namespace lanyard
