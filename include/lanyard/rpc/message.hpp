// JSON-RPC 2.0 messages in two forms: Message owns its data; Envelope has views into a parsed
// document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <lanyard/json/document.hpp>
#include <lanyard/json/raw_json.hpp>
#include <lanyard/result.hpp>
#include <lanyard/rpc/request_id.hpp>

namespace lanyard::rpc {

/// The error codes that JSON-RPC itself defines.
namespace code {
inline constexpr std::int64_t parse_error = -32700;
inline constexpr std::int64_t invalid_request = -32600;
inline constexpr std::int64_t method_not_found = -32601;
inline constexpr std::int64_t invalid_params = -32602;
inline constexpr std::int64_t internal_error = -32603;
}  // namespace code

/// A message that expects an answer.
struct Request {
    RequestId id;
    std::string method;
    RawJson params;  ///< an object, or absent

    bool operator==(Request const&) const = default;
};

/// A message that is never answered.
struct Notification {
    std::string method;
    RawJson params;  ///< an object, or absent

    bool operator==(Notification const&) const = default;
};

/// The answer to a request that succeeded.
struct Response {
    RequestId id;
    RawJson result;  ///< an object; if empty, {} is written

    bool operator==(Response const&) const = default;
};

/// The answer to a request that failed.
struct ErrorResponse {
    std::optional<RequestId> id;  ///< empty if the request's id could not be read
    std::int64_t code = code::internal_error;
    std::string message;
    RawJson data;

    bool operator==(ErrorResponse const&) const = default;
};

using Message = std::variant<Request, Notification, Response, ErrorResponse>;
/// Several messages in one JSON array.
using Batch = std::vector<Message>;

/// The kind of a message.
enum class MessageKind : std::uint8_t { request, notification, result, error, batch };

/// One parsed message, as views into its document; nothing is copied. Valid as long as the document
/// and its text are valid.
struct Envelope {
    explicit Envelope(json::View message, MessageKind message_kind = MessageKind::notification)
        : whole(message), kind(message_kind) {}

    /// The whole message; raw() gives its bytes.
    json::View whole;
    MessageKind kind;
    /// A string or a 64-bit integer. Set for requests and results, and for errors that have an id.
    std::optional<json::View> id;
    /// The method of a request or notification, with escapes decoded.
    std::string_view method;
    /// The parameters, an object.
    std::optional<json::View> params;
    /// The member `_meta` of the parameters; it may have any type.
    std::optional<json::View> meta;
    /// The result, which is an object. If the message has null as its result, this is an empty
    /// object. Set for results.
    std::optional<json::View> result;
    /// The error, which is an object. Its `code` is an integer (perhaps written as -32000.0); its
    /// `message` is a string, null or absent. Set for errors.
    std::optional<json::View> error;
};

/// Returns the value as an id; nullopt if it is neither a string nor a 64-bit integer (a real such
/// as 1.0 is not an integer).
std::optional<RequestId> to_id(json::View value);

/// Returns the message as a copy that outlives the document. The envelope must not be a batch.
Message to_message(Envelope const& envelope);

/// The kind of message that the sender of an invalid message meant to send, as far as this can be
/// determined.
enum class Intent : std::uint8_t { unknown, request, notification, response };

/// The information that could be found in a message that cannot be parsed.
struct Remains {
    /// Intent::request if the message has a method and an id. Intent::response if it has a result
    /// or an error, and no method.
    Intent intent = Intent::unknown;
    /// The id of the message. Empty if the id cannot be read, if there are two different ids, or if
    /// the message looks like both a request and a response.
    std::optional<RequestId> id = std::nullopt;

    bool operator==(Remains const&) const = default;
};

/// Why received bytes were refused as a message, and whether the sender expects an answer.
struct Malformed {
    enum class Reason : std::uint8_t {
        not_json,     ///< not an acceptable JSON text
        too_large,    ///< exceeds the limit on the number of bytes
        no_room,      ///< dropped because the messages of all peers use too much memory
        not_message,  ///< JSON, but not a JSON-RPC message
    };

    Reason reason;
    std::string message;  ///< one sentence that names the problem and its position
    Intent intent = Intent::unknown;
    std::optional<RequestId> id = std::nullopt;  ///< empty if it could not be read

    /// Whether the sender expects an error response. An invalid notification or response is not
    /// answered.
    bool owes_answer() const noexcept {
        return intent == Intent::unknown || intent == Intent::request;
    }
};

/// Parses one message (not a batch).
Result<Message, Malformed> parse_message(std::string_view text,
                                         json::ParseOptions const& options = {});

/// How an error response is written if the id of the request could not be read: without an id, or
/// with a null id.
enum class MissingId : std::uint8_t { omit, null };

/// Returns the message as one line of JSON, without a line end.
std::string serialize(Message const& message, MissingId missing_id = MissingId::omit);

}  // namespace lanyard::rpc
