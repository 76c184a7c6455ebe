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

/// 1 to 128 characters of A-Z a-z 0-9 _ - .
Validity check_tool_name(std::string_view name);

/// The name is valid, `input_schema` is an object with "type": "object", and `output_schema`, if
/// present, is an object.
Validity check_tool(Tool const& tool);

/// An absolute URI by RFC 3986.
Validity check_uri(std::string_view uri);

/// A file:// URI whose path contains no "..", neither as such nor percent-encoded.
Validity check_root(Root const& root);

/// An https: or data: URI.
Validity check_icon_source(std::string_view src);

/// An absolute http: or https: URL with a host.
Validity check_elicitation_url(std::string_view url);

/// Fields have distinct names, minimums do not exceed maximums, choices are distinct, and each
/// default lies within the bounds of its number or among the choices.
Validity check_form_schema(FormSchema const& schema);

/// A message that contains tool results contains nothing else. A message with tool uses is followed
/// by a user message with one result for each tool use. Each result refers to a tool use of an
/// earlier message.
Validity check_sampling_messages(std::span<SamplingMessage const> messages);

/// At most 100 values.
Validity check_completion(Completion const& completion);

}  // namespace lanyard::protocol
