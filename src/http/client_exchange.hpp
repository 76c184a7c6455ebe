// Exchange: one message of the client, or one stream, on its way through as many HTTP calls as it
// takes. Private to ClientMachine.
#pragma once

#include "http/client_machine.hpp"
#include "http/reconnect.hpp"
#include "http/sse_parser.hpp"
#include "rpc/backoff.hpp"

namespace lanyard::http {

struct ClientMachine::Exchange {
    using Kind = ExchangeKind;
    enum class State : std::uint8_t {
        held,      ///< until there is a session to send it in
        waiting,   ///< until it is due
        running,   ///< as an HTTP call
        accepted,  ///< the answer comes by another stream
    };

    Exchange(Kind what, Url const& where, ReconnectOptions const& reconnecting,
             std::size_t max_event_bytes)
        : kind(what), url(where), parser(max_event_bytes), reconnect(reconnecting) {}

    bool is_request() const noexcept { return message.kind == OutgoingMessage::Kind::request; }
    bool is_initialize() const noexcept { return message.method == "initialize"; }
    bool is_initialized() const noexcept { return message.method == "notifications/initialized"; }
    /// Whether it names its own version, so that it belongs to no session.
    bool stands_alone() const noexcept { return !message.version.empty(); }
    bool carries_message() const noexcept {
        return kind == Kind::message || kind == Kind::handshake;
    }
    /// Whether the server has nothing to say to it but that it was accepted.
    bool is_one_way() const noexcept { return kind == Kind::message && !is_request(); }
    bool ok() const noexcept { return status >= 200 && status < 300; }
    bool streams() const noexcept { return ok() && content == ResponseHead::Content::event_stream; }
    Method method() const noexcept {
        if (kind == Kind::ending) return Method::delete_;
        return carries_message() && !resuming ? Method::post : Method::get;
    }
    /// Forgets the answer to the call before.
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

    // What was said before the body of the answer, and the body where it is not a stream.
    int status = 0;
    ResponseHead::Content content = ResponseHead::Content::none;
    std::optional<std::string> location;
    std::string challenge;
    std::optional<Duration> retry_after;
    std::string text;

    SseParser parser;
    Reconnect reconnect;
    bool resuming = false;     // continues a stream that broke off
    bool established = false;  // the stream was open once

    std::string session_id;        // that the answer to a handshake gave
    std::uint64_t generation = 0;  // of the session it was sent in
    bool in_session = false;       // it named the session
    std::optional<Error> failure;  // of a handshake: why it failed; set where it is to fail later

    rpc::Backoff unsent{unsent_retry};
    int redirects = 0;
    int refusals = 0;        // by a server that is busy
    bool fresh = false;      // wants a new connection
    bool restarted = false;  // was sent again because a kept connection was closed
    bool renewed = false;    // was sent again because the session was lost
    bool answered = false;   // of a handshake: the result has come
};

}  // namespace lanyard::http
