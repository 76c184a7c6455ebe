// What a revision cannot express: values that would change their meaning if the parts it lacks were
// left out, and values no revision allows.
#pragma once

#include <lanyard/error.hpp>
#include <lanyard/protocol/features.hpp>
#include <lanyard/protocol/methods.hpp>
#include <lanyard/result.hpp>

namespace lanyard::wire {

/// Errc::unsupported_in_era naming the feature and the revision, or Errc::invalid_argument naming
/// what is wrong in any revision.
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

/// Everything else can be said in every revision that has its method.
template <class T>
Result<void> check_expressible(T const&, Version) {
    return {};
}

/// `_meta` a user gives along: keys have the grammar the revision demands, and none is the
/// envelope's.
Result<void> check_meta(Meta const& meta, Version version);

}  // namespace lanyard::wire
