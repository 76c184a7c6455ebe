// SessionStream: an HTTP response that belongs to a session. Writes messages to the response, as
// events or as one JSON text.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "http/mcp/event_log.hpp"
#include "http/mcp/session_request.hpp"
#include "http/message/sse_writer.hpp"
#include "http/server/reply.hpp"
#include "lanyard/peer_info.hpp"
#include "lanyard/rpc/outbox.hpp"

namespace lanyard::http {

class SessionStreams;
struct SessionState;

/// Writes one event to a reply.
void write_event(Reply& reply, SseFields const& fields, std::string_view data);

/// The response to a POSTed request, or a stream for messages that belong to no request. May stay
/// open for long, also while the client is not connected to it: its events are recorded in the
/// session's log, and the client may resume the stream.
class SessionStream final : public ReplyWatcher {
public:
    /// Prepares the object for a stream of a session. `origin` is the number of the POSTed request;
    /// 0 if the stream belongs to no request.
    void init(SessionStreams& owner, SessionState& state, std::uint64_t origin) noexcept {
        owner_ = &owner;
        state_ = &state;
        origin_ = origin;
    }
    /// Copies the properties of the request that determine the response; moves its `info`.
    void set_request(SessionRequest& request) noexcept {
        peer_info_ = std::move(request.info);
        takes_stream_ = request.takes_stream;
        handshake_ = request.handshake;
    }
    /// Prepares the object for another call of init().
    void reset() noexcept {
        peer_info_.reset();
        number_ = 0;
        takes_stream_ = handshake_ = streaming_ = false;
    }

    std::uint64_t origin() const noexcept { return origin_; }
    /// The number of the stream in the log; 0 if its events are not kept.
    StreamNumber number() const noexcept { return number_; }
    /// Whether a client is connected to the stream.
    bool connected() const noexcept { return reply_ != nullptr; }
    /// The sender of the request; null if the stream belongs to no request.
    std::shared_ptr<PeerInfo const> const& peer_info() const noexcept { return peer_info_; }

    void attach(Reply& reply) noexcept;
    /// Returns the reply, which the stream does not use any more; null if there was none.
    Reply* detach() noexcept;

    /// Begins the event stream. A reply must be attached.
    void begin();
    /// Begins the event stream of a response whose request was not answered at once, unless the
    /// stream has begun already or the response must not be a stream.
    void begin_early();
    /// Sends a message that is not the last one of the stream. Returns false if the response must
    /// not be a stream; in this case the message has not been sent.
    bool send(std::string_view message, rpc::Route::Kind kind);
    /// Writes a message like send(), but does not flush the reply. The event stream must have
    /// begun.
    void write(std::string_view message, rpc::Route::Kind kind);

    // Functions that end the response. The stream must be removed from its session afterwards,
    // except after release().

    /// Sends the answer, as JSON or as the last event, and ends the response.
    void answer(std::string_view message);
    /// Ends the response to a request that the client has cancelled.
    void end_unanswered();
    /// Ends the event stream. Its events stay in the log for a while, because the client may not
    /// have received all of them.
    void finish();
    /// Like finish(), but first sends the time that the client must wait before it reconnects, if
    /// the session's revision supports that.
    void finish_with_retry();
    /// Ends the response because the session ends.
    void close() noexcept;
    /// Closes the connection that carries the response.
    void cut() noexcept;
    /// Closes the response before the request is answered, so that the client resumes the stream
    /// later. Does nothing if the client's revision does not support that.
    void release();

private:
    void on_gone() noexcept override;
    void on_turn_end() override { begin_early(); }

    bool can_stream() const noexcept;
    ReplyHead head(Content content) const noexcept;
    void write_retry();

    SessionStreams* owner_ = nullptr;
    SessionState* state_ = nullptr;
    Reply* reply_ = nullptr;  // null while no client is connected to the stream
    std::uint64_t origin_ = 0;
    StreamNumber number_ = 0;
    std::shared_ptr<PeerInfo const> peer_info_;
    bool takes_stream_ = false;  // whether the client accepts an event stream as the response
    bool handshake_ = false;
    bool streaming_ = false;  // whether the event stream has begun
};

}  // namespace lanyard::http
