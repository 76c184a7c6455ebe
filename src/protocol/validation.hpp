// Rules for protocol values that the types alone do not express. The comment of each check
// describes the values that it accepts. The pointer of an error is relative to the value that was
// passed.
#pragma once

#include <span>
#include <string_view>

#include "lanyard/error.hpp"
#include "lanyard/protocol/completion.hpp"
#include "lanyard/protocol/elicitation.hpp"
#include "lanyard/protocol/roots.hpp"
#include "lanyard/protocol/sampling.hpp"
#include "lanyard/protocol/tools.hpp"
#include "lanyard/result.hpp"

namespace lanyard::protocol {

using Validity = Result<void, DecodeError>;

/// Accepts names of 1 to 128 characters: letters (A-Z, a-z), digits, `_`, `-` and `.`.
Validity check_tool_name(std::string_view name);

/// Accepts a tool if its name is valid, its `input_schema` is an object with "type": "object", and
/// its `output_schema`, if present, is an object.
Validity check_tool(Tool const& tool);

/// Accepts an absolute URI (RFC 3986).
Validity check_uri(std::string_view uri);

/// Accepts a file:// URI whose path contains no "..", neither literally nor percent-encoded.
Validity check_root(Root const& root);

/// Accepts an https: or data: URI.
Validity check_icon_source(std::string_view src);

/// Accepts an absolute http: or https: URL with a host.
Validity check_elicitation_url(std::string_view url);

/// Accepts a form whose fields have distinct names. No minimum may exceed its maximum, the choices
/// of a field must be distinct, and a default must fit its field: a number must lie within the
/// bounds, a selected value must be one of the choices.
Validity check_form_schema(FormSchema const& schema);

/// Accepts messages that follow three rules. A message that contains tool results contains nothing
/// else. A message with tool uses is followed by a user message with one result for each tool use.
/// Each result refers to a tool use of an earlier message.
Validity check_sampling_messages(std::span<SamplingMessage const> messages);

/// Accepts at most 100 values.
Validity check_completion(Completion const& completion);

}  // namespace lanyard::protocol
