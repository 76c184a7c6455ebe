// ClientOperation: the transfer of one message, or one stream. It may take several HTTP calls,
// because of redirects, retries and resumption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/backoff.hpp"
#include "http/client/call_runner.hpp"
#include "http/client/outgoing_message.hpp"
#include "http/client/reconnect.hpp"
#include "http/client/response_reader.hpp"
#include "http/message/method.hpp"
#include "http/message/sse_parser.hpp"
#include "http/message/url.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/error.hpp"

namespace lanyard::http {

/// The response to the current HTTP call of an operation.
struct CallAnswer {
    bool ok() const noexcept { return status >= 200 && status < 300; }
    bool streams() const noexcept { return ok() && content == ResponseHead::Content::event_stream; }

    int status = 0;
    ResponseHead::Content content = ResponseHead::Content::none;
    std::optional<std::string> location;
    std::string challenge;
    std::optional<Duration> retry_after;
    std::string text;  ///< the body, unless it is a stream
};

/// The attempts to send one message.
struct SendAttempts {
    Backoff unsent;  ///< computes the wait before a retry of a call of which no byte was sent
    int redirects = 0;
    std::uint32_t refusals = 0;  ///< number of times that the server refused the message as busy
                                 ///< (503)
    bool needs_new_connection = false;  ///< the next call must use a new connection
    bool restarted = false;  ///< the message was sent again, because the server had closed an idle
                             ///< connection
    bool renewed = false;    ///< the message was sent again, because the session was lost
};

struct ClientOperation {
    enum class Kind : std::uint8_t {
        message,          ///< sends a message of the client's session
        handshake,        ///< opens a new session to replace a lost one
        server_stream,    ///< receives messages that belong to no request (GET)
        endpoint_stream,  ///< receives all messages of the server over HTTP+SSE (GET)
        ending,           ///< ends the session (DELETE)
    };
    enum class State : std::uint8_t {
        held,      ///< waits until a session is open
        waiting,   ///< waits until the time `due`
        running,   ///< an HTTP call is under way
        accepted,  ///< the server has the request; the answer arrives on another operation's stream
    };

    ClientOperation(Kind what, Url const& where, std::size_t max_event_bytes,
                    RetryPolicy const& stream_retries, BackoffOptions const& unsent_retries)
        : kind(what),
          url(where),
          attempts{.unsent = Backoff(unsent_retries)},
          parser(max_event_bytes),
          reconnect(stream_retries) {}

    bool is_request() const noexcept { return message.kind == OutgoingMessage::Kind::request; }
    bool is_initialize() const noexcept { return message.method == "initialize"; }
    bool is_initialized() const noexcept { return message.method == "notifications/initialized"; }
    /// Whether the message is stateless: it contains its protocol version and belongs to no
    /// session.
    bool is_stateless() const noexcept { return !message.version.empty(); }
    bool carries_message() const noexcept {
        return kind == Kind::message || kind == Kind::handshake;
    }
    /// Whether the message is a notification or an answer, which the server only acknowledges.
    bool is_one_way() const noexcept { return kind == Kind::message && !is_request(); }
    Method method() const noexcept {
        if (kind == Kind::ending) return Method::delete_;
        return carries_message() && !resuming ? Method::post : Method::get;
    }

    CallId id = 0;
    Kind kind;
    State state = State::held;
    OutgoingMessage message;
    std::string body;
    Url url;
    TimePoint due = TimePoint::max();
    SendAttempts attempts;
    CallAnswer answer;

    SseParser parser;
    Reconnect reconnect;
    bool resuming = false;     // the next call resumes a stream that broke off
    bool established = false;  // the stream has been open at least once

    // The session in which the message was sent.
    std::uint64_t generation = 0;  // RemoteSession::generation() at that time
    bool in_session = false;       // the message was sent with a session id

    std::string session_id;        // the session id in the response to `initialize`
    bool answered = false;         // the operation is a handshake, and its answer has arrived
    std::optional<Error> failure;  // the error to report if the operation fails in the end
};

}  // namespace lanyard::http
