// HttpSession: the session of one client, for the revisions with sessions (MCP specification,
// basic/transports, "Streamable HTTP" up to 2025-11-25). Owns the session's streams, and chooses
// the stream for each message.
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

/// An HTTP response that belongs to a session and may stay open for long: the response to a POSTed
/// request, or a stream for messages that belong to no request.
class SessionStream final : public ReplyWatcher {
public:
    void on_gone() noexcept override;
    void on_turn_end() override;

private:
    friend class HttpSession;

    HttpSession* session_ = nullptr;
    Reply* reply_ = nullptr;    // null while the client is not connected to the stream
    std::uint64_t origin_ = 0;  // number of the POSTed request; 0 if the stream belongs to no
                                // request
    StreamNumber number_ = 0;   // number of the stream in the log; 0 if its events are not kept
    std::shared_ptr<PeerInfo const> info_;
    bool takes_stream_ = false;
    bool handshake_ = false;
    bool streaming_ = false;
};

/// Receives events of sessions.
class SessionOwner {
public:
    /// A session of Kind::stateless has answered, and can serve the next request.
    virtual void on_free(HttpSession& session) noexcept = 0;
    /// The session has ended.
    virtual void on_ended(HttpSession& session) noexcept = 0;
    /// A suspended session must resume: the owner must pass it to the server again.
    virtual void on_wake(HttpSession& session) = 0;
    /// The server has finished serving one of the sessions.
    virtual void on_released() noexcept = 0;

protected:
    ~SessionOwner() = default;
};

/// What all sessions of an McpHandler share. Each session holds a shared pointer to this object,
/// because the server may keep a session for a while after the McpHandler was destroyed.
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
    rpc::RequestEntry* port = nullptr;  ///< suspends sessions; null if sessions are never suspended
    bool stopping = false;
    std::size_t served = 0;  ///< number of sessions that the server is still serving
    std::vector<std::unique_ptr<SessionStream>> spare_streams;
    rpc::EnvelopeReader incoming;  ///< reads messages from clients
    rpc::EnvelopeReader outgoing;  ///< parses messages of the server, to read their id or version
};

/// A POSTed request, or a batch that contains at least one.
struct SessionRequest {
    std::string_view text;
    rpc::Envelope const* envelope = nullptr;  ///< the parsed message; null for a batch
    std::shared_ptr<PeerInfo const> info{};
    bool takes_stream = false;
    bool handshake = false;
    bool leaves_traces = false;  ///< whether the request changes state on which later requests of
                                 ///< the session depend
    TimePoint received{};
};

/// The id of a session. The text is stored inline, to save memory: there may be many sessions.
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

/// All functions must be called on SessionShared::executor. The caller must hold a shared pointer
/// to the session, because the session may end while one of its functions runs.
class HttpSession final : public std::enable_shared_from_this<HttpSession>,
                          private rpc::SuspendingCarrier {
public:
    enum class Kind : std::uint8_t {
        stateful,   ///< has an id that the client sends with each request
        stateless,  ///< has no id that a client could send: serves one request at a time, from any
                    ///< client
        sse,        ///< a session of HTTP+SSE (2024-11-05): the server sends all messages on one
                    ///< stream
    };

    /// `owner` is the client to which the memory of the session's events is charged.
    HttpSession(std::shared_ptr<SessionShared> scope, Kind kind, std::string_view id,
                std::shared_ptr<Principal const> principal, EventOwner owner = 0);
    ~HttpSession();
    HttpSession(HttpSession const&) = delete;
    HttpSession& operator=(HttpSession const&) = delete;

    Kind kind() const noexcept { return kind_; }
    std::string_view id() const noexcept { return id_.view(); }
    std::shared_ptr<Principal const> const& principal() const noexcept { return principal_; }
    /// The revision agreed in the handshake; nullopt before the handshake.
    std::optional<Version> version() const noexcept { return version_; }
    bool ended() const noexcept { return ended_; }
    /// Whether no stream is open and the session was last used at least `patience` ago.
    bool is_idle(TimePoint now, Duration patience) const noexcept;
    void touch() noexcept { last_used_ = scope_->time.now(); }
    TimePoint last_used() const noexcept { return last_used_; }
    /// Whether the client has sent no request after the handshake.
    bool is_unused() const noexcept { return last_origin_ <= 1; }
    void expire_events(TimePoint now) noexcept;
    /// Suspends the session if it has been idle for long enough and has no open stream: frees the
    /// server's objects for the session. The client's next message restores them. Returns whether
    /// the session was suspended now.
    bool rest(TimePoint now);
    bool rests() const noexcept { return suspended_ != nullptr; }

    // Functions for messages and streams of the client.

    /// Passes a request to the server. The answer is sent through `reply`, now or later.
    void take_request(SessionRequest&& request, Reply& reply);
    /// Passes a message to the server. If the server answers the message, the answer is sent on a
    /// stream of the session, not in the response to the message's POST. Returns false if too many
    /// messages already wait for the server.
    bool take(std::string_view text, rpc::Envelope const* envelope, TimePoint received);
    /// Opens a stream for messages that belong to no request.
    void open_stream(Reply& reply);
    /// Resumes the stream on which the event `last_event_id` was sent. If that stream cannot be
    /// resumed, opens a stream for messages that belong to no request.
    void resume(std::string_view last_event_id, Reply& reply);
    /// Opens the stream of a session of Kind::sse. The first event names `target`, the path to
    /// which the client must POST its messages.
    void open_sse(Reply& reply, std::shared_ptr<PeerInfo const> info, std::string_view target);
    /// Resumes the stream that open_sse() opened. Returns false if the event does not belong to
    /// this session or is not kept any more; `reply` has not been used then.
    bool resume_sse(std::string_view last_event_id, Reply& reply, std::string_view target);

    /// Performs the handshake with the server in place of a client, for a session of
    /// Kind::stateless.
    void assume_handshake(Version version);

    /// Called when the server stops. Closes the streams that belong to no request, which would
    /// otherwise stay open, and ends the session when its last pending request has been answered.
    void stop();
    /// Ends the session, on behalf of the client or of the server: closes its streams, and reports
    /// the end of the input to the server.
    void end() noexcept;
    rpc::EnvelopeReader& reader() noexcept { return scope_->incoming; }

    // Functions for the session's transport, which the server uses. Each time the session resumes,
    // it gets a new transport with a new inbox.

    boost::asio::any_io_executor const& executor() const noexcept { return scope_->executor; }
    void begin_serving(SessionInbox& inbox) noexcept { inbox_ = &inbox; }
    std::unique_ptr<rpc::Suspended> take_suspended() noexcept;
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
    void send(std::string_view message, rpc::Route route);
    /// Called when the server has processed all messages passed to it. If the last request is still
    /// unanswered, begins the event stream of its response, unless the response must not be a
    /// stream.
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

    // The streams that belong to no request. Allocated only if needed, because many sessions have
    // none.
    struct ServerStreams {
        Streams streams;                       // the latest is last
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
    bool refused_ = false;        // the server refused the handshake
    bool leaves_traces_ = false;  // a request has changed the session's state: a session of
                                  // Kind::stateless must not be used again
    std::optional<Version> version_;
    std::shared_ptr<Principal const> principal_;
    SessionInbox* inbox_ = nullptr;              // inbox of the session's transport; null while
                                                 // suspended
    std::unique_ptr<rpc::Suspended> suspended_;  // set while suspended
    std::unique_ptr<EventLog> log_;
    Streams answers_;  // pending responses to requests, sorted by origin_
    std::unique_ptr<ServerStreams> server_streams_;
    EventOwner owner_;
    TimePoint last_used_;
    std::uint64_t last_origin_ = 0;
    std::atomic<std::uint64_t> messages_out_ = 0;  // atomic, like bytes_out_, because other threads
                                                   // read it
    std::atomic<std::uint64_t> bytes_out_ = 0;
    std::uint64_t delivered_ = 0;  // number of the request that was last passed to the server; 0
                                   // once the server has processed it
};

}  // namespace lanyard::http
