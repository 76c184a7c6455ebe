// Checks that the declared capabilities allow an operation, before it is sent and when it is
// received.
#pragma once

#include <lanyard/error.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/methods.hpp>
#include <lanyard/result.hpp>

namespace lanyard::protocol {

/// Returns the capability that the method needs in this revision. It depends on the revision: early
/// revisions have completion without a capability, and the tasks extension replaces the tasks
/// capability.
Capability required_capability(MethodInfo const& method, Version version) noexcept;

/// Checks that the receiver of the request (or the sender of the notification) has declared the
/// capability that the method needs. If not, returns Error (capability_missing), whose message
/// names the capability and whose data is {"capability": name}.
Result<void> check_capability(MethodInfo const& method, ServerCapabilities const& server,
                              Version version);
Result<void> check_capability(MethodInfo const& method, ClientCapabilities const& client,
                              Version version);

/// These functions check the capabilities that the parameters need. The capability that the method
/// itself needs is checked separately.
Result<void> check_capability(CallToolParams const& params, ServerCapabilities const& server);
Result<void> check_capability(CreateMessageParams const& params, ClientCapabilities const& client,
                              Version version);
Result<void> check_capability(ElicitParams const& params, ClientCapabilities const& client);
/// Checks a client's subscription against the server's capabilities only. A filter with task ids
/// needs the tasks extension on both sides; the client's side is not checked here.
Result<void> check_capability(SubscriptionFilter const& filter, ServerCapabilities const& server);

}  // namespace lanyard::protocol
