// HttpSession: the session of one client, for the revisions with sessions (MCP specification,
// basic/transports, "Streamable HTTP" up to 2025-11-25). Passes the client's messages to the
// server, and chooses the stream for each message of the server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/relaxed_counter.hpp"
#include "http/mcp/session_inbox.hpp"
#include "http/mcp/session_request.hpp"
#include "http/mcp/session_shared.hpp"
#include "http/mcp/session_state.hpp"
#include "http/mcp/session_streams.hpp"
#include "lanyard/auth/verifier.hpp"
#include "lanyard/peer_info.hpp"
#include "lanyard/rpc/outbox.hpp"
#include "peer/responder.hpp"

namespace lanyard::http {

/// All functions must be called on SessionShared::executor. The caller must hold a shared pointer
/// to the session, because the session may end while one of its functions runs.
class HttpSession final : public std::enable_shared_from_this<HttpSession>,
                          private rpc::SuspendingCarrier {
public:
    using Kind = SessionKind;

    /// `owner` is the client to which the memory of the session's events is charged.
    HttpSession(std::shared_ptr<SessionShared> shared, Kind kind, std::string_view id,
                std::shared_ptr<Principal const> principal, EventOwner owner = 0);
    ~HttpSession();
    HttpSession(HttpSession const&) = delete;
    HttpSession& operator=(HttpSession const&) = delete;

    Kind kind() const noexcept { return state_.kind; }
    std::string_view id() const noexcept { return state_.id.view(); }
    std::shared_ptr<Principal const> const& principal() const noexcept { return principal_; }
    /// The revision agreed in the handshake; nullopt before the handshake.
    std::optional<Version> version() const noexcept { return state_.version; }
    bool ended() const noexcept { return ended_; }
    /// Whether no stream is open and the session was last used at least `expiry` ago.
    bool is_idle(TimePoint now, Duration expiry) const noexcept {
        return streams_.is_idle() && now - state_.last_used >= expiry;
    }
    TimePoint last_used() const noexcept { return state_.last_used; }
    /// Whether the client has sent no request after the handshake.
    bool is_unused() const noexcept { return last_origin_ <= 1; }

    // Lifecycle.

    /// For a session of Kind::stateless that begins without a handshake: gives the server the state
    /// of a session whose client has agreed to this revision. Must be called before the server gets
    /// the session.
    void assume_handshake(Version version);
    void expire_events(TimePoint now) noexcept { streams_.expire_events(now); }
    /// Suspends the session if it has been idle for long enough and has no open stream: frees the
    /// server's objects for the session. The client's next message restores them. Returns whether
    /// the session was suspended now.
    bool suspend(TimePoint now);
    /// Called when the server stops. Closes the streams that belong to no request, which would
    /// otherwise stay open, and ends the session when its last pending request has been answered.
    void stop();
    /// Ends the session, on behalf of the client or of the server: closes its streams, and reports
    /// the end of the input to the server.
    void end() noexcept;
    /// Ends the session after an exception. Closes the connections of its streams, because their
    /// output may be incomplete.
    void break_off() noexcept;

    // Functions for messages and streams of the client.

    /// Passes a request to the server. The answer is sent through `reply`, now or later.
    void deliver_request(SessionRequest&& request, Reply& reply);
    /// Passes a message to the server. If the server answers the message, the answer is sent on a
    /// stream of the session, not in the response to the message's POST. Returns false if too many
    /// messages already wait for the server.
    bool deliver_message(std::string_view text, rpc::Envelope const* envelope, TimePoint received);
    /// Opens a stream for messages that belong to no request.
    void open_stream(Reply& reply);
    /// Opens the stream of a session of Kind::sse. The first event names `target`, the path to
    /// which the client must POST its messages.
    void open_sse(Reply& reply, std::shared_ptr<PeerInfo const> info, std::string_view target);
    /// Resumes the stream on which the event `last_event_id` was sent. For a session of Kind::sse,
    /// the first event names `target` again. Returns false if the event does not belong to this
    /// session or is not kept any more; in this case `reply` has not been used.
    bool resume_stream(std::string_view last_event_id, Reply& reply, std::string_view target = {});

    // Functions for the session's transport, which the server uses. Each time the session resumes,
    // it gets a new transport with a new inbox.

    boost::asio::any_io_executor const& executor() const noexcept {
        return state_.shared->executor;
    }
    rpc::EnvelopeReader& reader() noexcept { return state_.shared->incoming; }
    void begin_serving(SessionInbox& inbox) noexcept { inbox_ = &inbox; }
    std::unique_ptr<rpc::Suspended> take_suspended() noexcept;
    /// Called when the server has accepted or refused the client's handshake. `version` is nullopt
    /// if the server has refused the handshake.
    void on_handshake(std::optional<Version> version) noexcept;
    bool is_served_by(SessionInbox const& inbox) const noexcept { return inbox_ == &inbox; }
    /// Called when the transport with this inbox is closed. Ends the session, unless the session
    /// has been suspended since the inbox was made.
    void end_serving(SessionInbox const& inbox) noexcept {
        if (is_served_by(inbox)) end();
    }
    /// Called when the inbox is about to be destroyed.
    void on_inbox_gone(SessionInbox const& inbox) noexcept {
        if (is_served_by(inbox)) inbox_ = nullptr;
    }
    void send(std::string_view message, rpc::Route const& route);
    /// Called when the server has processed all messages passed to it. If the last request is still
    /// unanswered, begins the event stream of its response, unless the response must not be a
    /// stream.
    void on_reader_waits();
    std::shared_ptr<PeerInfo const> peer_info(std::uint64_t origin) const;
    /// See SessionStream::release().
    void release_stream(std::uint64_t origin);
    TransportInfo info() const override;

private:
    using RouteKind = rpc::Route::Kind;

    bool suspended() const noexcept { return suspended_ != nullptr; }
    void resume_if_suspended();
    bool put(std::string_view text, std::uint64_t origin, TimePoint received,
             rpc::Envelope const* envelope = nullptr) {
        return inbox_ != nullptr && inbox_->put(text, origin, received, envelope);
    }
    void count(std::string_view message) noexcept;
    void drop(rpc::Route const& route);
    void on_answered();

    void send_notification(std::string_view message) override { send(message, {}); }
    std::string_view session_id() const noexcept override { return id(); }

    SessionState state_;
    SessionStreams streams_;
    bool ended_ = false;
    bool changed_ = false;  // a request has changed the session's state, so a session of
                            // Kind::stateless must not be used again
    std::shared_ptr<Principal const> principal_;
    SessionInbox* inbox_ = nullptr;              // inbox of the session's transport; null while
                                                 // suspended
    std::unique_ptr<rpc::Suspended> suspended_;  // set while suspended, and until the server takes
                                                 // it
    std::uint64_t last_origin_ = 0;              // number of the latest request
    std::uint64_t delivered_ = 0;  // number of the request that was last passed to the server; 0
                                   // once the server has processed it
    RelaxedCounter<std::uint64_t> messages_out_;
    RelaxedCounter<std::uint64_t> bytes_out_;
};

}  // namespace lanyard::http
