// The envelope of protocol revision 2026-07-28: the metadata of a request, the kind of a result and
// the server that sent it, and the id of a subscription (MCP specification, basic/index,
// basic/patterns/subscriptions, basic/patterns/mrtr).
#pragma once

#include <optional>
#include <string>

#include "lanyard/error.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/protocol/base.hpp"
#include "lanyard/protocol/capabilities.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/protocol/methods.hpp"
#include "lanyard/result.hpp"

namespace lanyard::wire {

/// The metadata that a client sends with every request.
struct RequestEnvelope {
    std::string protocol_version{};  ///< as the client sent it: it may name an unknown revision
    ClientCapabilities client_capabilities{};
    std::optional<Implementation> client_info{};
    std::optional<LoggingLevel> log_level{};

    bool operator==(RequestEnvelope const&) const = default;
};

/// Whether the `_meta` of a message names a protocol version, valid or not. Only modern messages
/// name one.
inline bool has_protocol_claim(std::optional<json::View> meta) noexcept {
    return meta && meta->find(meta_key::protocol_version);
}

/// Reads the envelope from the params of a request. Fails if a required member is missing or a
/// member is malformed; the request must then be refused with -32602. The error's pointer is
/// relative to params.
Result<RequestEnvelope, DecodeError> read_request_envelope(std::optional<json::View> params);

/// Returns the identity of the server that sent a result. The identity is optional, so the function
/// returns nullopt if it is missing or malformed.
std::optional<Implementation> read_server_info(json::View result);

/// Returns the subscription id of a notification's params or of the result of subscriptions/listen.
std::optional<RequestId> read_subscription_id(std::optional<json::View> params_or_result);

enum class ResultKind { complete, input_required, task };

/// Returns the kind of a result by its `resultType`. A result without a `resultType` is complete.
/// Fails if the kind is unknown or this method cannot have it. The kind `task` is allowed only if
/// `tasks_extension` is true.
Result<ResultKind, DecodeError> result_kind(json::View result, MethodInfo const& method,
                                            bool tasks_extension);

}  // namespace lanyard::wire
