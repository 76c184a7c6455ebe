// HttpSession: one client of a revision with sessions (MCP specification, basic/transports,
// "Streamable HTTP" up to 2025-11-25): its streams, and the choice of the stream for each message.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/mcp/event_log.hpp"
#include "http/mcp/mcp_counters.hpp"
#include "http/mcp/session_inbox.hpp"
#include "http/server/reply.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/auth/verifier.hpp"
#include "lanyard/http/mcp_options.hpp"
#include "lanyard/peer_info.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/outbox.hpp"
#include "lanyard/time_source.hpp"
#include "peer/responder.hpp"
#include "runtime/loop.hpp"

namespace lanyard::http {

class HttpSession;

/// A response of a session that may stay open for long: the answer to a POSTed request, or a stream
/// for messages that belong to no request.
class SessionStream final : public ReplyWatcher {
public:
    void on_gone() noexcept override;
    void on_turn_end() override;

private:
    friend class HttpSession;

    HttpSession* session_ = nullptr;
    Reply* reply_ = nullptr;    // null while no client reads the stream
    std::uint64_t origin_ = 0;  // number of the request; 0: for messages that belong to no request
    StreamNumber number_ = 0;   // number in the log; 0 if its events are not kept
    std::shared_ptr<PeerInfo const> info_;
    bool takes_stream_ = false;
    bool handshake_ = false;
    bool streaming_ = false;
};

/// Receives events of sessions.
class SessionOwner {
public:
    /// A session of Kind::single has answered and can serve the next request.
    virtual void on_free(HttpSession& session) noexcept = 0;
    /// The session has ended.
    virtual void on_ended(HttpSession& session) noexcept = 0;
    /// A suspended session must resume: pass it to the server again.
    virtual void on_wake(HttpSession& session) = 0;
    /// The server has finished serving a session.
    virtual void on_released() noexcept = 0;

protected:
    ~SessionOwner() = default;
};

/// Used by all sessions of an endpoint. Ownership is shared, because the server may hold a session
/// for a while after the endpoint has been destroyed.
struct SessionShared {
    SessionShared(boost::asio::any_io_executor on, McpHttpOptions const& settings,
                  TimeSource& source, Random& random)
        : executor(std::move(on)),
          options(settings),
          time(source),
          loop(runtime::Loop::of(executor)),
          events({.max_events = settings.max_kept_events(),
                  .max_bytes = settings.max_kept_bytes(),
                  .max_total = settings.max_kept_total(),
                  .max_age = settings.event_expiry()},
                 random) {}

    boost::asio::any_io_executor executor;
    McpHttpOptions options;
    TimeSource& time;
    runtime::Loop* loop;  ///< null if the executor is not a Loop
    MemoryEventStore events;
    McpCounters counters;
    SessionOwner* owner = nullptr;
    rpc::RequestEntry* port = nullptr;  ///< stores suspended sessions; null: none is ever suspended
    bool stopping = false;
    std::size_t served = 0;  ///< sessions that the server is still serving
    std::vector<std::unique_ptr<SessionStream>> spare_streams;
    rpc::EnvelopeReader incoming;  ///< reads messages from clients
    rpc::EnvelopeReader outgoing;  ///< parses the server's own messages for their ids and version
};

/// A request as received.
struct SessionRequest {
    std::string_view text;
    rpc::Envelope const* envelope = nullptr;  ///< the parsed message; null for a batch
    std::shared_ptr<PeerInfo const> info{};
    bool takes_stream = false;
    bool handshake = false;
    bool leaves_traces = false;  ///< changes state that later requests of the session depend on
    TimePoint received{};
};

/// The id of a session, stored inline, because there are many sessions.
class SessionId {
public:
    static constexpr std::size_t max_size = 24;

    /// `text` must not be longer than max_size.
    explicit SessionId(std::string_view text) noexcept
        : size_(static_cast<std::uint8_t>(text.copy(text_.data(), max_size))) {}

    std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, max_size> text_;
    std::uint8_t size_;
};

/// All functions are called on the executor of the scope. The caller must hold a shared pointer to
/// the session, because the session may end during a call.
class HttpSession final : public std::enable_shared_from_this<HttpSession>,
                          private rpc::SuspendingCarrier {
public:
    enum class Kind : std::uint8_t {
        stateful,   ///< has an id that the client sends with each request
        stateless,  ///< has no id: serves one request at a time, from any client
        sse,        ///< a session of 2024-11-05: all messages are sent on one stream
    };

    /// The memory of the session's events is charged to `owner`.
    HttpSession(std::shared_ptr<SessionShared> scope, Kind kind, std::string_view id,
                std::shared_ptr<Principal const> principal, EventOwner owner = 0);
    ~HttpSession();
    HttpSession(HttpSession const&) = delete;
    HttpSession& operator=(HttpSession const&) = delete;

    Kind kind() const noexcept { return kind_; }
    std::string_view id() const noexcept { return id_.view(); }
    std::shared_ptr<Principal const> const& principal() const noexcept { return principal_; }
    /// The version agreed in the handshake.
    std::optional<Version> version() const noexcept { return version_; }
    bool ended() const noexcept { return ended_; }
    /// Whether no stream is open and the session was last used at least `patience` ago.
    bool is_idle(TimePoint now, Duration patience) const noexcept;
    void touch() noexcept { last_used_ = scope_->time.now(); }
    TimePoint last_used() const noexcept { return last_used_; }
    /// Whether the client has only opened the session, and not used it yet.
    bool is_unused() const noexcept { return last_origin_ <= 1; }
    void expire_events(TimePoint now) noexcept;
    /// Suspends the session if it has been idle for a while and has no open stream: releases the
    /// server's objects for it, which the client's next request restores. Returns whether it was
    /// suspended.
    bool rest(TimePoint now);
    bool rests() const noexcept { return suspended_ != nullptr; }

    // What the client does.

    /// Takes a request, or a batch that contains at least one. The answer is sent through `reply`,
    /// now or later.
    void take_request(SessionRequest&& request, Reply& reply);
    /// Takes a message that needs no answer. Returns false if the session has no room for it.
    bool take(std::string_view text, rpc::Envelope const* envelope, TimePoint received);
    /// Opens a stream for messages that belong to no request.
    void open_stream(Reply& reply);
    /// Resumes the stream on which the event `last_event_id` was sent, or opens a new stream.
    void resume(std::string_view last_event_id, Reply& reply);
    /// Opens the stream of a session of 2024-11-05. Its client is asked to POST messages to
    /// `target`.
    void open_sse(Reply& reply, std::shared_ptr<PeerInfo const> info, std::string_view target);
    /// Resumes the stream that open_sse() opened. Returns false if the event is unknown; then the
    /// reply is still unused.
    bool resume_sse(std::string_view last_event_id, Reply& reply, std::string_view target);

    /// Starts a session of Kind::single as if a client had sent the handshake.
    void assume_handshake(Version version);

    /// Called when the server stops. Closes the streams that do not belong to a request (they would
    /// otherwise stay open), and ends the session once the last pending request is answered.
    void stop();
    /// Ends the session, whichever side asks for it: closes its streams, and its reader gets the
    /// end of the input.
    void end() noexcept;
    rpc::EnvelopeReader& reader() noexcept { return scope_->incoming; }

    // The functions that the server calls, through the session's transport. Each time the session
    // resumes, it gets a new transport with a new inbox.

    boost::asio::any_io_executor const& executor() const noexcept { return scope_->executor; }
    void begin_serving(SessionInbox& inbox) noexcept { inbox_ = &inbox; }
    std::unique_ptr<rpc::Suspended> take_suspended() noexcept;
    bool is_served_by(SessionInbox const& inbox) const noexcept { return inbox_ == &inbox; }
    /// Ends the session, unless it has been suspended since this inbox was made.
    void end_serving(SessionInbox const& inbox) noexcept {
        if (is_served_by(inbox)) end();
    }
    /// The inbox is about to be destroyed.
    void on_inbox_gone(SessionInbox const& inbox) noexcept {
        if (is_served_by(inbox)) inbox_ = nullptr;
    }
    void send(std::string_view message, rpc::Route route);
    /// The reader has processed all input: if the last request is still unanswered, its stream may
    /// begin.
    void on_reader_waits();
    std::shared_ptr<PeerInfo const> peer_info(std::uint64_t origin) const;
    void release_stream(std::uint64_t origin);
    TransportInfo info() const override;

private:
    friend class SessionStream;
    class Replay;

    using Streams = std::vector<std::unique_ptr<SessionStream>>;
    using RouteKind = rpc::Route::Kind;

    SessionStream& add_stream(Streams& streams, std::uint64_t origin);
    void remove(SessionStream& stream) noexcept;
    void recycle(std::unique_ptr<SessionStream> stream) noexcept;
    SessionStream* find(std::uint64_t origin) const noexcept;
    SessionStream* find_number(StreamNumber number) const noexcept;
    SessionStream* server_stream() const noexcept;
    void attach(SessionStream& stream, Reply& reply) noexcept;
    Reply* detach(SessionStream& stream) noexcept;
    void on_gone(SessionStream& stream) noexcept;
    void on_delayed(SessionStream& stream);

    bool can_stream(SessionStream const& stream) const noexcept;
    bool primes() const noexcept;
    EventLog& log();
    ReplyHead head(SessionStream const& stream, Content content) const noexcept;
    void begin_events(SessionStream& stream);
    void send_event(SessionStream& stream, std::string_view message, RouteKind kind);
    void finish(SessionStream& stream);
    void answer_full(SessionStream& stream, std::string_view message);
    void end_unanswered(SessionStream& stream);
    void send_on_server_stream(std::string_view message, RouteKind kind);
    void give_up(std::string_view message, RouteKind kind);
    void on_handshake_answer(std::string_view message);
    void on_answered();
    void cut_short(SessionStream& stream);
    bool try_resume(std::string_view last_event_id, Reply& reply, std::string_view target);

    void wake();
    void tell(std::string_view message) override { send(message, {}); }
    std::string_view session_id() const noexcept override { return id(); }

    // Members that most sessions never need, or only while they are in use.
    struct ServerStreams {
        Streams streams;  // for messages that belong to no request; the latest is last
        std::vector<std::string> undelivered;  // messages that wait for a stream
        std::shared_ptr<PeerInfo const> info;
    };
    ServerStreams& server_streams();
    Streams const& all_server_streams() const noexcept;
    std::size_t undelivered() const noexcept {
        return server_streams_ ? server_streams_->undelivered.size() : 0;
    }
    bool put(std::string_view text, std::uint64_t origin, TimePoint received,
             rpc::Envelope const* envelope = nullptr) {
        return inbox_ != nullptr && inbox_->put(text, origin, received, envelope);
    }

    std::shared_ptr<SessionShared> scope_;
    SessionId id_;
    Kind kind_;
    bool ended_ = false;
    bool refused_ = false;        // the handshake failed
    bool leaves_traces_ = false;  // a single session that must not serve another client
    std::optional<Version> version_;
    std::shared_ptr<Principal const> principal_;
    SessionInbox* inbox_ = nullptr;              // the inbox of its transport; null while suspended
    std::unique_ptr<rpc::Suspended> suspended_;  // set while suspended
    std::unique_ptr<EventLog> log_;
    Streams answers_;  // responses to requests, sorted by origin
    std::unique_ptr<ServerStreams> server_streams_;
    EventOwner owner_;
    TimePoint last_used_;
    std::uint64_t last_origin_ = 0;
    std::atomic<std::uint64_t> messages_out_ = 0;  // also read from other threads
    std::atomic<std::uint64_t> bytes_out_ = 0;
    std::uint64_t delivered_ = 0;  // the origin last passed to the reader; 0 once it is processed
};

}  // namespace lanyard::http
