// Translation of failures in both directions: a local failure becomes the code, text, data and HTTP
// status for a peer of a given protocol version, and a peer's error becomes the Error for the
// caller.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "jsonrpc/message_writer.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/error.hpp"
#include "lanyard/json/raw_json.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/message.hpp"

namespace lanyard::wire {

/// Error codes of MCP in addition to those of JSON-RPC. The table of conditions lists which version
/// uses which code.
namespace code {
inline constexpr std::int64_t rejected_by_user = -1;
inline constexpr std::int64_t resource_not_found = -32002;
inline constexpr std::int64_t not_initialized = -32005;
inline constexpr std::int64_t subscription_failed = -32006;
inline constexpr std::int64_t timeout = -32009;
inline constexpr std::int64_t rate_limited = -32010;
inline constexpr std::int64_t message_too_large = -32012;
inline constexpr std::int64_t header_mismatch = -32020;
inline constexpr std::int64_t missing_client_capability = -32021;
inline constexpr std::int64_t unsupported_version = -32022;
inline constexpr std::int64_t url_elicitation_required = -32042;
}  // namespace code

/// The reasons why a request failed, as reported to a peer.
enum class Condition : std::uint8_t {
    parse_error,
    invalid_request,
    method_not_found,
    invalid_params,
    internal_error,
    missing_metadata,
    header_mismatch,
    capability_not_offered,
    client_capability_missing,
    unsupported_version,
    unsupported_feature,
    resource_not_found,
    unknown_tool,
    unknown_prompt,
    unknown_task,
    invalid_cursor,
    url_elicitation_required,
    rejected_by_user,
    not_initialized,
    already_initialized,
    invalid_phase,
    duplicate_request_id,
    subscription_failed,
    timeout,
    cancelled,
    rate_limited,
    too_many_pending,
    overloaded,
    message_too_large,
    dependency_failed,
    shutting_down,
    unauthorized,
    forbidden,
    session_required,
    session_not_found,
    http_method_not_allowed,
    not_acceptable,
    unsupported_media_type,
};

/// How one condition is reported to a peer.
struct ConditionRow {
    Condition condition;
    /// The name of the enumerator. It is sent as `data.reason` if other conditions have the same
    /// code.
    std::string_view name;
    std::string_view text;  ///< The default message of the error.
    std::array<std::int64_t, all_versions.size()> codes;
    int legacy_status;  ///< The HTTP status in the legacy era.
    int modern_status;  ///< The HTTP status in the modern era.
    ErrorKind kind;     ///< The kind of the Error that a client gets.
    Advice advice;

    std::int64_t code(Version version) const noexcept {
        return codes[static_cast<std::size_t>(version)];
    }
    int http_status(Version version) const noexcept {
        return era_of(version) == Era::modern ? modern_status : legacy_status;
    }
};

std::span<ConditionRow const> all_conditions() noexcept;
ConditionRow const& row(Condition condition) noexcept;

/// Returns the condition for a request whose handler failed with this code.
Condition condition_of(Errc code) noexcept;

/// The subject of a failure. The members that are set (except `message`) become members of the
/// error's `data`.
struct Details {
    std::string_view message = {};  ///< replaces the condition's own text
    std::string_view uri = {};
    std::string_view tool = {};
    std::string_view prompt = {};
    std::string_view task = {};
    std::string_view method = {};
    /// A dotted path, as in "sampling.tools" or "extensions.io.modelcontextprotocol/tasks".
    std::string_view capability = {};
    std::string_view phase = {};
    std::string_view pointer = {};
    std::optional<std::string_view> requested = {};  ///< the protocol version that was requested
    std::span<Version const> supported = {};         ///< the supported protocol versions
    std::string_view extra = {};  ///< JSON; if it is an object, its members are added to `data`
};

/// An error in the form in which it is sent.
struct WireError {
    std::int64_t code;
    std::string message;
    RawJson data;
    int http_status;
    Advice advice;
    /// Whether the request may have been executed. If so, the error must not advise the client to
    /// repeat the request.
    bool may_have_run = false;

    bool recoverable() const noexcept { return lanyard::recoverable(advice); }
    rpc::ErrorText text() const noexcept { return {code, message, data.text()}; }
};

WireError translate(Condition condition, Version version, Details const& details = {});
/// Translates an error in the params of a request.
WireError translate(DecodeError const& error, Version version);
WireError translate(Refusal const& refusal, Version version);
WireError translate(rpc::Malformed const& failure, Version version);

/// Returns what an error response contains in place of the request's id if the id could not be
/// read.
rpc::MissingId missing_id(Version version) noexcept;

/// The answer to a request whose handler threw an exception.
struct FailureAnswer {
    WireError error;
    /// True if the request was cancelled. Such a request gets no response.
    bool silent = false;
    /// The cause of the failure, for the log only; it must not be sent.
    std::string log = {};
    /// A random string that appears in both the answer and the log, so that the log entry can be
    /// found. Empty if the answer contains the whole cause.
    std::string reference = {};
};

/// Translates an exception that a handler has thrown. `random` is used to make
/// FailureAnswer::reference.
FailureAnswer translate(std::exception const& exception, Version version, Random& random);
/// Also accepts exceptions that are not derived from std::exception.
FailureAnswer translate(std::exception_ptr const& exception, Version version, Random& random);

/// The failure of a tool, which is sent as a result with `isError`, not as an error response.
struct ToolFailure {
    ToolErrorKind kind;
    std::string text;  ///< for the model
    std::string log = {};
    std::string reference = {};
};

/// The name of the `_meta` member that contains ToolFailure::kind, in the result of a failed tool.
inline constexpr std::string_view tool_error_kind_key = "lanyard/errorKind";
/// The name of the `_meta` member that contains ToolFailure::reference, in the result of a failed
/// tool.
inline constexpr std::string_view reference_key = "lanyard/reference";

/// Like translate(), but for an exception of a tool's handler. Failures that the model can act on
/// become a result; failures that concern the host become an error response.
std::variant<ToolFailure, FailureAnswer> translate_tool(std::exception const& exception,
                                                        Version version, Random& random);
std::variant<ToolFailure, FailureAnswer> translate_tool(std::exception_ptr const& exception,
                                                        Version version, Random& random);

/// Returns the Error for a peer's error response.
Error to_error(rpc::ErrorResponse response, Version version);

}  // namespace lanyard::wire
