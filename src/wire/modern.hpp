// The envelope of 2026-07-28: metadata on requests, the kind and origin of results, subscription
// ids (basic/index, basic/patterns/subscriptions, basic/patterns/mrtr).
#pragma once

#include <optional>
#include <string>

#include <lanyard/error.hpp>
#include <lanyard/json/document.hpp>
#include <lanyard/protocol/base.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/logging.hpp>
#include <lanyard/protocol/methods.hpp>
#include <lanyard/result.hpp>

namespace lanyard::wire {

/// What a client says about itself on every request.
struct RequestEnvelope {
    std::string protocol_version{};  ///< as written: it may name a revision we do not know
    ClientCapabilities client_capabilities{};
    std::optional<Implementation> client_info{};
    std::optional<LoggingLevel> log_level{};

    bool operator==(RequestEnvelope const&) const = default;
};

/// Whether the `_meta` of a message names a protocol version, be it a good one or not: the mark of
/// a modern message.
inline bool has_protocol_claim(std::optional<json::View> meta) noexcept {
    return meta && meta->find(meta_key::protocol_version);
}

/// Reads the envelope from the params of a request. What is missing or malformed is -32602, with
/// the pointer leading into params.
Result<RequestEnvelope, DecodeError> read_request_envelope(std::optional<json::View> params);

/// Who sent a result. Nothing where the member is missing or malformed: nobody may rely on it.
std::optional<Implementation> read_server_info(json::View result);

/// The subscription that a notification's params, or the result of subscriptions/listen, belong to.
std::optional<RequestId> read_subscription_id(std::optional<json::View> params_or_result);

enum class ResultKind { complete, input_required, task };

/// What `resultType` says a result is. A result without one is complete; a kind that is unknown, or
/// that this method cannot have, is refused. `task` needs the tasks extension.
Result<ResultKind, DecodeError> result_kind(json::View result, MethodInfo const& method,
                                            bool tasks_extension);

}  // namespace lanyard::wire
