// Whether the declared capabilities allow an operation, checked before it is sent and when it
// arrives (rules L-16, K-02 to K-09, CO-01, EL-08, EL-09, SM-04, SM-07).
#pragma once

#include <lanyard/error.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/methods.hpp>
#include <lanyard/result.hpp>

namespace lanyard::protocol {

/// What the method needs in this revision: the early revisions have completion without a
/// capability, and the tasks extension replaces the tasks capability.
Capability required_capability(MethodInfo const& method, Version version) noexcept;

/// Whether the receiver of the request (or the sender of the notification) has declared what the
/// method needs. Errors are Errc::capability_missing, name the capability and carry
/// {"capability": name} as data.
Result<void> check_capability(MethodInfo const& method, ServerCapabilities const& server,
                              Version version);
Result<void> check_capability(MethodInfo const& method, ClientCapabilities const& client,
                              Version version);

/// What these parameters need beyond their method.
Result<void> check_capability(CallToolParams const& params, ServerCapabilities const& server);
Result<void> check_capability(CreateMessageParams const& params, ClientCapabilities const& client,
                              Version version);
Result<void> check_capability(ElicitParams const& params, ClientCapabilities const& client);
/// A client's subscription against what the server offers; task ids need the extension on the
/// client's side too.
Result<void> check_capability(SubscriptionFilter const& filter, ServerCapabilities const& server);

/// Whether a tool may be called in this way: `required` tools only as tasks, others only where they
/// allow it (2025-11-25).
Result<void> check_task_support(Tool const& tool, bool as_task);

}  // namespace lanyard::protocol
