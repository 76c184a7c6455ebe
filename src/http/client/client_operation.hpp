// Operation: one message or one stream of the client. It may take several HTTP calls: redirects,
// retries, resumption. Private to ClientMachine.
#pragma once

#include "base/backoff.hpp"
#include "http/client/client_machine.hpp"
#include "http/client/reconnect.hpp"
#include "http/message/sse_parser.hpp"

namespace lanyard::http {

struct ClientMachine::Operation {
    using Kind = ExchangeKind;
    enum class State : std::uint8_t {
        held,      ///< waits for a session
        waiting,   ///< waits until `due`
        running,   ///< an HTTP call is under way
        accepted,  ///< the answer arrives on another stream
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
    /// Whether the message is stateless: it names its protocol version and belongs to no session.
    bool is_stateless() const noexcept { return !message.version.empty(); }
    bool carries_message() const noexcept {
        return kind == Kind::message || kind == Kind::handshake;
    }
    /// Whether the server only acknowledges the message, because it is a notification or an answer.
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
    bool resuming = false;     // continues a stream that broke off
    bool established = false;  // the stream has been open at least once

    std::string session_id;        // from the response to a handshake
    std::uint64_t generation = 0;  // number of the session in which the message was sent
    bool in_session = false;       // the message was sent with a session id
    std::optional<Error> failure;  // the error to report if the operation fails in the end

    Backoff unsent;
    int redirects = 0;
    std::uint32_t refusals = 0;  // how often the server refused the message as busy (503)
    bool fresh = false;          // needs a new connection
    bool restarted = false;      // was sent again because a kept-alive connection had been closed
    bool renewed = false;        // was sent again because the session was lost
    bool answered = false;       // of a handshake: the result has arrived
};

}  // namespace lanyard::http
