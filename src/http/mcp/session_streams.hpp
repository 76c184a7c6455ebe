// SessionStreams: the streams of one HTTP session, with the messages that wait for a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/mcp/session_request.hpp"
#include "http/mcp/session_state.hpp"
#include "http/mcp/session_stream.hpp"

namespace lanyard::http {

/// Owns the pending responses to requests, and the server streams: the streams that the client has
/// opened for messages that belong to no request.
class SessionStreams {
public:
    /// `state` must outlive this object.
    explicit SessionStreams(SessionState& state) noexcept : state_(state) {}
    SessionStreams(SessionStreams const&) = delete;
    SessionStreams& operator=(SessionStreams const&) = delete;

    bool has_responses() const noexcept { return !responses_.empty(); }
    /// Whether no response is pending and the client is connected to no server stream.
    bool is_idle() const noexcept;
    /// Whether messages are kept that the client has not received yet, or may request again.
    bool keeps_messages() const noexcept {
        return undelivered() != 0 || (state_.log && state_.log->has_events());
    }
    /// The sender of the pending request with this number. If there is no such request, the client
    /// that opened the server stream of HTTP+SSE (2024-11-05); null if there is no such stream
    /// either.
    std::shared_ptr<PeerInfo const> peer_info(std::uint64_t origin) const noexcept {
        auto const* const response = find_response(origin);
        if (response != nullptr) return response->peer_info();
        return server_streams_ ? server_streams_->info : nullptr;
    }
    /// The sender of the latest pending request; null if there is none.
    PeerInfo const* latest_sender() const noexcept {
        return responses_.empty() ? nullptr : responses_.back()->peer_info().get();
    }

    // Responses to requests.

    /// Adds the response to a request. `origin` must be higher than that of all earlier requests.
    void add_response(std::uint64_t origin, SessionRequest& request, Reply& reply);
    /// Forgets the response to the request with this number, if that response is pending. Its Reply
    /// object is not used, so nothing is sent.
    void discard_response(std::uint64_t origin) noexcept;
    /// Returns the pending response to the request with this number; null if there is none.
    SessionStream* find_response(std::uint64_t origin) const noexcept {
        if (responses_.empty()) return nullptr;
        // Most requests are answered before the next one arrives.
        auto const& latest = responses_.back();
        return latest->origin() == origin ? latest.get() : find_earlier_response(origin);
    }
    /// Sends the answer, ends the response and removes it.
    void answer(SessionStream& response, std::string_view message) {
        response.answer(message);
        remove(response);
    }
    /// Ends the response to a request that the client has cancelled, and removes it.
    void end_unanswered(SessionStream& response) {
        response.end_unanswered();
        remove(response);
    }

    // Server streams.

    /// Opens a server stream, and sends on it the messages that wait for one. If the session has
    /// too many streams, refuses the request.
    void open_server_stream(Reply& reply);
    /// Opens the server stream of HTTP+SSE. The first event names `target`, the path to which the
    /// client must POST its messages.
    void open_sse(Reply& reply, std::shared_ptr<PeerInfo const> info, std::string_view target);
    /// Sends a message that belongs to no request. If there is no server stream, stores the message
    /// if it is a notification and there is room. Returns false if the message was neither sent nor
    /// stored.
    bool send_to_server_stream(std::string_view message, rpc::Route::Kind kind);

    // All streams.

    /// Resumes the stream on which the event `last_event_id` was sent. If `target` is not empty,
    /// the first event names `target`. Returns false if the event does not belong to this session
    /// or is not kept any more; in this case `reply` has not been used.
    bool resume(std::string_view last_event_id, Reply& reply, std::string_view target);
    /// Drops events that are too old.
    void expire_events(TimePoint now) noexcept;
    /// Frees memory that an idle session does not need.
    void shrink() noexcept;
    /// Closes the server streams, because the server stops.
    void finish_server_streams();
    /// Closes all streams and drops all kept messages, because the session ends.
    void close() noexcept;
    /// Closes the connections of all streams.
    void cut() noexcept;
    /// Called by a stream from which the client has disconnected.
    void on_disconnected(SessionStream& stream) noexcept;

private:
    class Replay;

    using Streams = std::vector<std::unique_ptr<SessionStream>>;
    // Allocated only if needed, because many sessions have no server stream.
    struct ServerStreams {
        Streams streams;                       // the latest is last
        std::vector<std::string> undelivered;  // messages that wait for a stream
        std::shared_ptr<PeerInfo const> info;  // the client that opened the stream of HTTP+SSE
    };

    SessionStream& add(Streams& streams, std::uint64_t origin);
    void remove(SessionStream& stream) noexcept;
    void recycle(std::unique_ptr<SessionStream> stream) noexcept;
    void close(Streams& streams) noexcept;

    SessionStream* find_earlier_response(std::uint64_t origin) const noexcept;
    SessionStream* find_number(StreamNumber number) const noexcept;
    SessionStream* server_stream() const noexcept;
    ServerStreams& server_streams();
    Streams const& all_server_streams() const noexcept;
    std::size_t undelivered() const noexcept {
        return server_streams_ ? server_streams_->undelivered.size() : 0;
    }

    SessionState& state_;
    Streams responses_;  // sorted by origin
    std::unique_ptr<ServerStreams> server_streams_;
};

}  // namespace lanyard::http
