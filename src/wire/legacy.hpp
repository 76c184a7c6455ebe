// Refuses two kinds of values: those whose meaning would change if the parts that a revision lacks
// were omitted, and those that no revision allows.
#pragma once

#include "lanyard/error.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "lanyard/result.hpp"

namespace lanyard::wire {

/// Checks that the revision can express the value. Fails with Errc::unsupported_in_era, naming the
/// feature and the revision, or with Errc::invalid_argument if the value is invalid in every
/// revision.
Result<void> check_expressible(CallToolParams const& value, Version version);
Result<void> check_expressible(CallToolResult const& value, Version version);
Result<void> check_expressible(ListToolsResult const& value, Version version);
Result<void> check_expressible(ReadResourceParams const& value, Version version);
Result<void> check_expressible(GetPromptParams const& value, Version version);
Result<void> check_expressible(CompleteResult const& value, Version version);
Result<void> check_expressible(CreateMessageParams const& value, Version version);
Result<void> check_expressible(CreateMessageResult const& value, Version version);
Result<void> check_expressible(ElicitParams const& value, Version version);
Result<void> check_expressible(ElicitResult const& value, Version version);
Result<void> check_expressible(CancelledParams const& value, Version version);
Result<void> check_expressible(InputRequiredResult const& value, Version version);
Result<void> check_expressible(UpdateTaskParams const& value, Version version);
Result<void> check_expressible(GetTaskResult const& value, Version version);
Result<void> check_expressible(TaskStatusParams const& value, Version version);

/// Values of all other types can be expressed in every revision that has their method.
template <class T>
Result<void> check_expressible(T const&, Version) {
    return {};
}

/// Checks a `_meta` that the user has set: each key must follow the grammar of the revision and
/// must not be one that the protocol itself sets (see is_envelope_key()).
Result<void> check_meta(Meta const& meta, Version version);

}  // namespace lanyard::wire
