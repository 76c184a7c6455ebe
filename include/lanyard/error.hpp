// Errors. Callers get Error (a call failed) and DecodeError (input is not as expected). Handlers
// throw ToolError (for the model) or Refusal (for the host). docs/errors.md lists every code.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace lanyard {

/// Why input was refused, and where: a JSON Pointer (RFC 6901) into the decoded value.
struct DecodeError {
    std::string pointer;
    std::string message;

    /// Returns a string such as "/times: must be at most 5, got 9". If the pointer is the root, the
    /// string is the message alone.
    std::string to_string() const;
    bool operator==(DecodeError const&) const = default;
};

/// Local failures: raised by this process, never received from the peer.
enum class Errc {
    closed = 1,          ///< The connection or session is closed.
    transport_down,      ///< The transport broke while the call was in progress.
    unavailable,         ///< There is no connection at the moment.
    timeout,             ///< No answer in time.
    cancelled,           ///< The caller cancelled.
    unsupported_in_era,  ///< The negotiated protocol version has no such method or feature.
    not_initialized,     ///< The handshake is not complete.
    capability_missing,  ///< The peer has not declared the required capability.
    busy,                ///< A queue or buffer is full.
    too_large,           ///< A message exceeds a limit.
    unauthorized,        ///< Credentials are missing or refused.
    shutdown,            ///< This side is stopping.
    failed,              ///< Any other failure; a retry is not expected to help.
    protocol_violation,  ///< The peer broke the protocol.
    invalid_argument,    ///< An argument or option is invalid.
    invalid_phase,       ///< The operation is not allowed in the current phase of the connection.
    version_mismatch,    ///< The peers have no protocol version in common.
    rate_limited,        ///< A rate limit was reached.
    too_many_pending,    ///< The limit of pending requests was reached.
};

/// Returns the name of the enumerator, for example "transport_down".
std::string_view to_string(Errc code) noexcept;
/// Every code, in the order of the enumeration.
std::span<Errc const> all_errcs() noexcept;

/// Category "lanyard", for Errc.
std::error_category const& lanyard_category() noexcept;
/// Category "lanyard.rpc": the value of the error is the JSON-RPC error code that the peer sent.
std::error_category const& rpc_category() noexcept;

std::error_code make_error_code(Errc code) noexcept;

/// What a caller can sensibly do about an error.
enum class Advice { retry, reconnect, abort, ignore };

std::string_view to_string(Advice advice) noexcept;
/// Returns whether trying again can help.
constexpr bool recoverable(Advice advice) noexcept {
    return advice == Advice::retry || advice == Advice::reconnect;
}

/// The category of a failure; every Error has one.
enum class ErrorKind { transport, protocol, jsonrpc, state, timeout, shutdown, capability };

std::string_view to_string(ErrorKind kind) noexcept;

/// Why a call failed: a local failure with an Errc, or the JSON-RPC error that the peer sent.
///
/// Example (docs/snippets/class_examples.cpp#error):
///
///     lanyard::Task<std::string> greeting(lanyard::Client client) {
///         try {
///             auto const text = co_await client.call<std::string>("greet");
///             co_return text;
///         } catch (lanyard::ToolError const& error) {
///             co_return error.what();  // the tool ran, and failed
///         } catch (lanyard::Error const& error) {
///             if (error.is(lanyard::Errc::timeout)) co_return "too slow";
///             if (error.peer_code()) co_return "refused: " + error.message();
///             throw;
///         }
///     }
///
/// Local errors have a code of the enumeration Errc; errors of the peer have a peer_code(). For
/// both, advice() recommends what to do: retry, reconnect, abort or ignore. docs/errors.md lists
/// all codes.
///
/// Ownership: copies share the details, so copying is cheap and does not throw. References that the
/// functions return are valid as long as one of the copies exists.
///
/// Threads: immutable; copies may be used on different threads at the same time.
///
/// Errors: functions throw only if memory is exhausted. A handler of a server may throw an Error.
/// If the error concerns the client, such as capability_missing, the client gets the message of the
/// error. Otherwise the client gets a neutral message with a reference, and the details are logged
/// under this reference.
///
/// Pitfalls:
/// - ToolError and Refusal are not derived from Error. A client catches ToolError separately, or
///   uses attempt(), which turns it into an Error (failed).
/// - is() compares with local codes only: it is false for every error that the peer sent, even if
///   that error has the same meaning.
/// - Cancelling a coroutine may also end it with boost::system::system_error (operation_aborted),
///   which comes from Asio. A client's call throws Error (cancelled) instead.
/// - advice() is about the cause, not about the call: retrying a tool call that timed out may run
///   the tool twice.
class Error : public std::exception {
public:
    /// A local failure.
    Error(Errc code, std::string message, std::string data = {});

    /// The peer's JSON-RPC error; data is its `data` member as JSON text, empty if absent.
    static Error from_peer(std::int64_t code, std::string message, std::string data = {},
                           ErrorKind kind = ErrorKind::jsonrpc, Advice advice = Advice::abort);

    /// The Errc of a local error, or the code that the peer sent. If the code does not fit an int,
    /// the nearest int is used.
    std::error_code code() const noexcept;
    /// The code that the peer sent; empty if the error is local.
    std::optional<std::int64_t> peer_code() const noexcept;
    /// The message alone; what() also contains the name of the code.
    std::string const& message() const noexcept;
    /// Structured details as JSON text; empty if there are none.
    std::string const& data() const noexcept;
    char const* what() const noexcept override;

    ErrorKind kind() const noexcept;
    Advice advice() const noexcept;
    bool recoverable() const noexcept { return lanyard::recoverable(advice()); }

    bool is(Errc code) const noexcept { return this->code() == make_error_code(code); }

private:
    struct State;
    explicit Error(std::shared_ptr<State const> state) noexcept : state_(std::move(state)) {}
    std::shared_ptr<State const> state_;
};

/// How a tool failed. The name of the kind is sent in the `_meta` of the result.
enum class ToolErrorKind {
    failed,
    timeout,
    cancelled,
    invalid_arguments,
    disabled,
    result_too_large,
    not_allowed,
    too_many_concurrent,
    dependency_failed,
    schema_invalid,
};

/// Returns the name of the enumerator, which is the text in `_meta`.
std::string_view to_string(ToolErrorKind kind) noexcept;
Advice advice_for(ToolErrorKind kind) noexcept;
std::span<ToolErrorKind const> all_tool_error_kinds() noexcept;

/// Thrown by a tool that cannot do what was asked. The model gets the text as the tool's result, so
/// the text should suggest what to do instead.
class ToolError : public std::runtime_error {
public:
    explicit ToolError(std::string const& text, ToolErrorKind kind = ToolErrorKind::failed)
        : std::runtime_error(text), kind_(kind) {}

    ToolErrorKind kind() const noexcept { return kind_; }

private:
    ToolErrorKind kind_;
};

/// Why a request is refused; the value is the JSON-RPC error code.
enum class RefusalReason {
    content_policy = 1001,
    safety,
    rate_limit,
    resource_limits,
    permission,
    invalid_input,
    unsupported,
    temporarily_unavailable,
    dependency,
    custom,
};

/// Returns the name of the enumerator, for example "content_policy".
std::string_view to_string(RefusalReason reason) noexcept;
std::span<RefusalReason const> all_refusal_reasons() noexcept;
/// Returns what a caller can do about a refusal with this code; nullopt if this is not the code of
/// a refusal.
std::optional<Advice> refusal_advice(std::int64_t code) noexcept;

/// Thrown by a handler that refuses a request. The host gets a JSON-RPC error; the model sees
/// nothing.
class Refusal : public std::runtime_error {
public:
    static constexpr int first_application_code = 1011;
    static constexpr int last_application_code = 1089;

    /// `data` is JSON text, or empty if there is no data.
    Refusal(RefusalReason reason, std::string const& text, std::string data = {})
        : Refusal(static_cast<int>(reason), text, std::move(data), Checked{}) {}
    /// Makes a refusal with an application-defined code. Throws Error (invalid_argument) unless the
    /// code is between 1011 and 1089.
    static Refusal application(int code, std::string const& text, std::string data = {});

    int code() const noexcept { return code_; }
    std::string const& data() const noexcept { return data_; }
    Advice advice() const noexcept;

private:
    struct Checked {};
    Refusal(int code, std::string const& text, std::string data, Checked)
        : std::runtime_error(text), code_(code), data_(std::move(data)) {}

    int code_;
    std::string data_;
};

}  // namespace lanyard

template <>
struct std::is_error_code_enum<lanyard::Errc> : std::true_type {};
