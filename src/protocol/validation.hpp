// Rules on protocol values that types alone do not express. Each comment lists the rules that the
// function enforces. The pointer of an error is relative to the value that was passed.
#pragma once

#include <span>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/protocol/completion.hpp>
#include <lanyard/protocol/elicitation.hpp>
#include <lanyard/protocol/roots.hpp>
#include <lanyard/protocol/sampling.hpp>
#include <lanyard/protocol/tools.hpp>
#include <lanyard/result.hpp>

namespace lanyard::protocol {

using Validity = Result<void, DecodeError>;

/// T-06, T-08, T-09: 1 to 128 characters of A-Z a-z 0-9 _ - .
Validity check_tool_name(std::string_view name);

/// T-04, T-27 and the name: `input_schema` is an object with "type": "object"; `output_schema`, if
/// present, is an object.
Validity check_tool(Tool const& tool);

/// an absolute URI by RFC 3986.
Validity check_uri(std::string_view uri);

/// RT-03, RT-06: a file:// URI whose path has no "..", written plainly or percent-encoded.
Validity check_root(Root const& root);

/// IM-10: an https: or data: URI.
Validity check_icon_source(std::string_view src);

/// EL-15: an absolute http: or https: URL with a host.
Validity check_elicitation_url(std::string_view url);

/// EL-59: fields have distinct names, minimums do not exceed maximums, choices are distinct, and
/// defaults lie within the bounds of a number or among the choices.
Validity check_form_schema(FormSchema const& schema);

/// SM-08: a message with tool results holds nothing else. SM-09: a message with tool uses is
/// followed by a user message with one result for each of them. SM-10: a result names an earlier
/// use.
Validity check_sampling_messages(std::span<SamplingMessage const> messages);

/// CO-14: at most 100 values.
Validity check_completion(Completion const& completion);

}  // namespace lanyard::protocol
