// The two kinds of failure a caller meets: lanyard::Error for a call that failed, DecodeError for
// data that is not what it should be. Every code has a row in docs/errors.md.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace lanyard {

/// Why input was refused, and where: a JSON Pointer (RFC 6901) into the value that was decoded.
struct DecodeError {
    std::string pointer;
    std::string message;

    /// "/times: must be at most 5, got 9"; without the pointer where it is the root.
    std::string to_string() const;
    bool operator==(DecodeError const&) const = default;
};

/// Local failures: raised on this side, never taken from the wire.
enum class Errc {
    closed = 1,          ///< The connection or session is closed.
    transport_down,      ///< The transport broke while the call was under way.
    unavailable,         ///< Not connected at the moment.
    timeout,             ///< No answer in time.
    cancelled,           ///< The caller cancelled.
    unsupported_in_era,  ///< The negotiated protocol version has no such method or feature.
    not_initialized,     ///< The handshake is not complete.
    capability_missing,  ///< The peer has not declared the capability this needs.
    busy,                ///< A queue or buffer is full.
    too_large,           ///< A message exceeds a limit.
    unauthorized,        ///< Credentials are missing or refused.
    shutdown,            ///< This side is stopping.
    failed,              ///< Gave up for good (for example: reconnecting is exhausted).
    protocol_violation,  ///< The peer broke the protocol.
    invalid_argument,    ///< The caller passed something that cannot be sent.
    invalid_phase,       ///< Not allowed in the present phase of the connection.
    version_mismatch,    ///< No protocol version in common.
    rate_limited,        ///< A rate limit was hit.
    too_many_pending,    ///< The limit of pending requests is reached.
};

/// Category "lanyard", for Errc.
std::error_category const& lanyard_category() noexcept;
/// Category "lanyard.rpc": the value is the JSON-RPC error code the peer sent.
std::error_category const& rpc_category() noexcept;

std::error_code make_error_code(Errc code) noexcept;

/// What a caller can sensibly do about an error.
enum class Advice { retry, reconnect, abort, ignore };

std::string_view to_string(Advice advice) noexcept;

/// A call that failed. Cheap to copy: the details are shared and immutable.
class Error : public std::exception {
public:
    /// A local failure.
    Error(Errc code, std::string message, std::string data = {});

    /// The peer's JSON-RPC error; data is its `data` member as JSON text, empty where absent.
    static Error from_peer(std::int64_t code, std::string message, std::string data = {});

    std::error_code code() const noexcept;
    /// The message alone; what() adds the name of the code.
    std::string const& message() const noexcept;
    /// Structured details as JSON text; empty where there are none.
    std::string const& data() const noexcept;
    char const* what() const noexcept override;

    bool recoverable() const noexcept {
        return advice() == Advice::retry || advice() == Advice::reconnect;
    }
    Advice advice() const noexcept;

    bool is(Errc code) const noexcept { return this->code() == make_error_code(code); }

private:
    struct State;
    explicit Error(std::shared_ptr<State const> state) noexcept : state_(std::move(state)) {}
    std::shared_ptr<State const> state_;
};

}  // namespace lanyard

template <>
struct std::is_error_code_enum<lanyard::Errc> : std::true_type {};
