// Operation: the transfer of one message, or one stream. It may take several HTTP calls, because of
// redirects, retries and resumption. Private to ClientMachine.
#pragma once

#include "base/backoff.hpp"
#include "http/client/client_machine.hpp"
#include "http/client/reconnect.hpp"
#include "http/message/sse_parser.hpp"

namespace lanyard::http {

struct ClientMachine::Operation {
    using Kind = OperationKind;
    enum class State : std::uint8_t {
        held,      ///< waits until a session is open
        waiting,   ///< waits until the time `due`
        running,   ///< an HTTP call is under way
        accepted,  ///< the server has the request; the answer arrives on another operation's stream
    };

    Operation(Kind what, Url const& where, ClientMachineOptions const& options,
              RetryPolicy const& stream_retries)
        : kind(what),
          url(where),
          parser(options.max_event_bytes),
          reconnect(stream_retries),
          unsent(options.request_retries) {}

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
    bool ok() const noexcept { return status >= 200 && status < 300; }
    bool streams() const noexcept { return ok() && content == ResponseHead::Content::event_stream; }
    Method method() const noexcept {
        if (kind == Kind::ending) return Method::delete_;
        return carries_message() && !resuming ? Method::post : Method::get;
    }
    /// Discards the response to the previous call.
    void begin_answer() {
        status = 0;
        content = ResponseHead::Content::none;
        location.reset();
        challenge.clear();
        retry_after.reset();
        text.clear();
    }

    CallId id = 0;
    Kind kind;
    State state = State::held;
    OutgoingMessage message;
    std::string body;
    Url url;
    TimePoint due = TimePoint::max();

    // The response: status, header fields, and the body unless it is a stream.
    int status = 0;
    ResponseHead::Content content = ResponseHead::Content::none;
    std::optional<std::string> location;
    std::string challenge;
    std::optional<Duration> retry_after;
    std::string text;

    SseParser parser;
    Reconnect reconnect;
    bool resuming = false;     // the next call resumes a stream that broke off
    bool established = false;  // the stream has been open at least once

    std::string session_id;        // the session id in the response to `initialize`
    std::uint64_t generation = 0;  // ClientMachine::generation_ when the message was sent:
                                   // identifies its session
    bool in_session = false;       // the message was sent with a session id
    std::optional<Error> failure;  // the error to report if the operation fails in the end

    Backoff unsent;
    int redirects = 0;
    std::uint32_t refusals = 0;  // number of times that the server refused the message as busy
                                 // (503)
    bool fresh = false;          // the next call needs a new connection
    bool restarted = false;      // the message was sent again, because the server had closed an
                                 // idle connection
    bool renewed = false;        // the message was sent again, because the session was lost
    bool answered = false;       // the operation is a handshake, and its answer has arrived
};

}  // namespace lanyard::http
