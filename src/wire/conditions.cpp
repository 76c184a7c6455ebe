// The table of conditions: the code, text and HTTP status that each protocol version uses for each
// condition.
#include <cstddef>

#include "wire/errors.hpp"

namespace lanyard::wire {

namespace {

using Codes = std::array<std::int64_t, all_versions.size()>;

constexpr Codes all(std::int64_t code) {
    return {code, code, code, code, code};
}

constexpr Codes eras(std::int64_t legacy, std::int64_t modern) {
    return {legacy, legacy, legacy, legacy, modern};
}

constexpr Codes only_2025_11_25(std::int64_t code, std::int64_t elsewhere) {
    return {elsewhere, elsewhere, elsewhere, code, elsewhere};
}

constexpr auto invalid_request = rpc::code::invalid_request;
constexpr auto method_not_found = rpc::code::method_not_found;
constexpr auto invalid_params = rpc::code::invalid_params;
constexpr auto internal_error = rpc::code::internal_error;

// The rows are in the order of the enumeration. To find the condition of a peer's error code, the
// table is searched from the top. So the condition that a code is primarily meant for comes before
// the other conditions that share the code.
constexpr std::array table{
    ConditionRow{Condition::parse_error, "parse_error", "Parse error", all(rpc::code::parse_error),
                 400, 400, ErrorKind::protocol, Advice::abort},
    ConditionRow{Condition::invalid_request, "invalid_request", "Invalid request",
                 all(invalid_request), 400, 400, ErrorKind::protocol, Advice::abort},
    ConditionRow{Condition::method_not_found, "method_not_found", "Method not found",
                 all(method_not_found), 200, 404, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::invalid_params, "invalid_params", "Invalid params", all(invalid_params),
                 200, 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::internal_error, "internal_error", "Internal error", all(internal_error),
                 200, 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::missing_metadata, "missing_metadata", "Missing request metadata",
                 all(invalid_params), 400, 400, ErrorKind::protocol, Advice::abort},
    ConditionRow{Condition::header_mismatch, "header_mismatch",
                 "A header is missing or disagrees with the body",
                 eras(invalid_request, code::header_mismatch), 400, 400, ErrorKind::protocol,
                 Advice::abort},
    ConditionRow{Condition::capability_not_offered, "capability_not_offered",
                 "Capability not offered", all(method_not_found), 200, 404, ErrorKind::capability,
                 Advice::abort},
    ConditionRow{Condition::client_capability_missing, "client_capability_missing",
                 "Missing client capability", eras(internal_error, code::missing_client_capability),
                 200, 400, ErrorKind::capability, Advice::abort},
    ConditionRow{Condition::unsupported_version, "unsupported_version",
                 "Unsupported protocol version", eras(invalid_params, code::unsupported_version),
                 400, 400, ErrorKind::protocol, Advice::abort},
    ConditionRow{Condition::unsupported_feature, "unsupported_feature",
                 "Not supported by the protocol version", all(internal_error), 200, 200,
                 ErrorKind::capability, Advice::abort},
    ConditionRow{Condition::resource_not_found, "resource_not_found", "Resource not found",
                 eras(code::resource_not_found, invalid_params), 200, 200, ErrorKind::jsonrpc,
                 Advice::abort},
    ConditionRow{Condition::unknown_tool, "unknown_tool", "Unknown tool", all(invalid_params), 200,
                 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::unknown_prompt, "unknown_prompt", "Unknown prompt", all(invalid_params),
                 200, 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::unknown_task, "unknown_task", "Unknown task", all(invalid_params), 200,
                 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::invalid_cursor, "invalid_cursor", "Invalid cursor", all(invalid_params),
                 200, 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::url_elicitation_required, "url_elicitation_required",
                 "URL elicitation required",
                 only_2025_11_25(code::url_elicitation_required, internal_error), 200, 200,
                 ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::rejected_by_user, "rejected_by_user", "The user rejected the request",
                 all(code::rejected_by_user), 200, 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::not_initialized, "not_initialized", "Not initialized",
                 eras(code::not_initialized, invalid_request), 400, 400, ErrorKind::state,
                 Advice::reconnect},
    ConditionRow{Condition::already_initialized, "already_initialized", "Already initialized",
                 all(invalid_request), 400, 400, ErrorKind::state, Advice::abort},
    ConditionRow{Condition::invalid_phase, "invalid_phase", "Not allowed in this phase",
                 all(invalid_request), 400, 400, ErrorKind::state, Advice::abort},
    ConditionRow{Condition::duplicate_request_id, "duplicate_request_id",
                 "A request with this id is pending", all(invalid_request), 400, 400,
                 ErrorKind::protocol, Advice::abort},
    ConditionRow{Condition::subscription_failed, "subscription_failed", "Subscription failed",
                 eras(code::subscription_failed, internal_error), 200, 200, ErrorKind::jsonrpc,
                 Advice::abort},
    ConditionRow{Condition::timeout, "timeout", "Timeout", eras(code::timeout, internal_error), 200,
                 200, ErrorKind::timeout, Advice::retry},
    ConditionRow{Condition::cancelled, "cancelled", "Cancelled", all(internal_error), 200, 200,
                 ErrorKind::state, Advice::ignore},
    ConditionRow{Condition::rate_limited, "rate_limited", "Rate limit exceeded",
                 eras(code::rate_limited, internal_error), 429, 429, ErrorKind::state,
                 Advice::retry},
    ConditionRow{Condition::too_many_pending, "too_many_pending", "Too many pending requests",
                 eras(code::rate_limited, internal_error), 429, 429, ErrorKind::state,
                 Advice::retry},
    ConditionRow{Condition::overloaded, "overloaded", "Overloaded", all(internal_error), 503, 503,
                 ErrorKind::transport, Advice::retry},
    ConditionRow{Condition::message_too_large, "message_too_large", "Message too large",
                 eras(code::message_too_large, invalid_request), 413, 413, ErrorKind::protocol,
                 Advice::abort},
    ConditionRow{Condition::dependency_failed, "dependency_failed", "A dependency failed",
                 all(internal_error), 200, 200, ErrorKind::jsonrpc, Advice::abort},
    ConditionRow{Condition::shutting_down, "shutting_down", "Shutting down", all(internal_error),
                 503, 503, ErrorKind::shutdown, Advice::reconnect},
    ConditionRow{Condition::unauthorized, "unauthorized", "Unauthorized", all(invalid_request), 401,
                 401, ErrorKind::transport, Advice::abort},
    ConditionRow{Condition::forbidden, "forbidden", "Forbidden", all(invalid_request), 403, 403,
                 ErrorKind::transport, Advice::abort},
    ConditionRow{Condition::session_required, "session_required", "A session id is required",
                 all(invalid_request), 400, 400, ErrorKind::state, Advice::reconnect},
    ConditionRow{Condition::session_not_found, "session_not_found", "Session not found",
                 all(invalid_request), 404, 404, ErrorKind::state, Advice::reconnect},
    ConditionRow{Condition::http_method_not_allowed, "http_method_not_allowed",
                 "HTTP method not allowed", all(invalid_request), 405, 405, ErrorKind::transport,
                 Advice::abort},
    ConditionRow{Condition::not_acceptable, "not_acceptable",
                 "The client accepts no media type of ours", all(invalid_request), 406, 406,
                 ErrorKind::transport, Advice::abort},
    ConditionRow{Condition::unsupported_media_type, "unsupported_media_type",
                 "The body must be application/json", all(invalid_request), 415, 415,
                 ErrorKind::transport, Advice::abort},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].condition) != i) return false;
    }
    return true;
}
static_assert(in_order() && table.back().condition == Condition::unsupported_media_type);

}  // namespace

std::span<ConditionRow const> all_conditions() noexcept {
    return table;
}

ConditionRow const& row(Condition condition) noexcept {
    return table[static_cast<std::size_t>(condition)];
}

Condition condition_of(Errc code) noexcept {
    switch (code) {
        // A handler that fails with one of these errors had a problem with its own connection to
        // another peer, not with the connection on which the request came.
        case Errc::closed:
        case Errc::transport_down:
        case Errc::unavailable:
        case Errc::unauthorized:
        case Errc::failed:
        case Errc::protocol_violation:
            return Condition::dependency_failed;
        case Errc::timeout:
            return Condition::timeout;
        case Errc::cancelled:
            return Condition::cancelled;
        case Errc::unsupported_in_era:
            return Condition::unsupported_feature;
        case Errc::not_initialized:
            return Condition::not_initialized;
        case Errc::capability_missing:
            return Condition::client_capability_missing;
        case Errc::busy:
            return Condition::overloaded;
        case Errc::too_large:
            return Condition::message_too_large;
        case Errc::shutdown:
            return Condition::shutting_down;
        case Errc::invalid_phase:
            return Condition::invalid_phase;
        case Errc::version_mismatch:
            return Condition::unsupported_version;
        case Errc::rate_limited:
            return Condition::rate_limited;
        case Errc::too_many_pending:
            return Condition::too_many_pending;
        case Errc::invalid_argument:
            break;  // reported as internal_error, because it is a mistake in the handler
    }
    return Condition::internal_error;
}

}  // namespace lanyard::wire
