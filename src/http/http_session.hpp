// HttpSession: one client of a revision with sessions (basic/transports, "Streamable HTTP" up to
// 2025-11-25): its streams, and which message goes out on which of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/event_log.hpp"
#include "http/mcp_counters.hpp"
#include "http/reply.hpp"
#include "http/session_inbox.hpp"
#include "lanyard/auth/verifier.hpp"
#include "lanyard/http/mcp_options.hpp"
#include "lanyard/peer_facts.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/outbox.hpp"
#include "lanyard/time_source.hpp"
#include "rpc/envelope.hpp"

namespace lanyard::http {

class HttpSession;

/// One answer of a session that may take long: to a POSTed request, or a stream of its own.
class SessionStream final : public ReplyWatcher {
public:
    void on_gone() noexcept override;

private:
    friend class HttpSession;

    HttpSession* session_ = nullptr;
    Reply* reply_ = nullptr;    // null while nobody reads
    std::uint64_t origin_ = 0;  // what its request is called; 0: a stream of the session as a whole
    StreamNumber number_ = 0;   // in the log; 0 where it is not kept
    std::shared_ptr<PeerFacts const> facts_;
    bool takes_stream_ = false;
    bool handshake_ = false;
    bool streaming_ = false;
};

/// Told about sessions.
class SessionOwner {
public:
    /// A single session has answered and can serve the next request.
    virtual void on_free(HttpSession& session) noexcept = 0;
    /// The session has ended.
    virtual void on_ended(HttpSession& session) noexcept = 0;
    /// The server has let go of a session.
    virtual void on_released() noexcept = 0;

protected:
    ~SessionOwner() = default;
};

/// What all sessions of an endpoint use. They share it, because the server may hold a session for a
/// while after the endpoint has gone.
struct SessionScope {
    SessionScope(boost::asio::any_io_executor on, McpHttpOptions const& settings,
                 TimeSource& source, Random& random)
        : executor(std::move(on)),
          options(settings),
          time(source),
          events({.max_events = settings.max_kept_events(),
                  .max_bytes = settings.max_kept_bytes(),
                  .max_total = settings.max_kept_total(),
                  .max_age = settings.event_expiry()},
                 random) {}

    boost::asio::any_io_executor executor;
    McpHttpOptions options;
    TimeSource& time;
    MemoryEventStore events;
    McpCounters counters;
    SessionOwner* owner = nullptr;
    bool stopping = false;
    std::size_t served = 0;  ///< sessions that the server has not let go of
    std::vector<std::unique_ptr<SessionStream>> spare_streams;
    rpc::EnvelopeReader incoming;  ///< reads what clients send
    rpc::EnvelopeReader outgoing;  ///< and, where that matters, what they are sent
};

/// A request as it came.
struct SessionRequest {
    std::string_view text;
    rpc::Envelope const* envelope = nullptr;  ///< what it says; null for a batch
    std::shared_ptr<PeerFacts const> facts{};
    bool takes_stream = false;
    bool handshake = false;
    bool leaves_traces = false;  ///< changes what later requests of the session meet
    TimePoint received{};
};

/// Everything is called on the executor of the scope. Who calls holds the session, which may end
/// with what it is told.
class HttpSession final : public std::enable_shared_from_this<HttpSession> {
public:
    enum class Kind : std::uint8_t {
        lasting,  ///< has an id that the client names with each request
        single,   ///< serves one request at a time, of whoever comes
        sse,      ///< of 2024-11-05: everything goes out on one stream
    };

    HttpSession(std::shared_ptr<SessionScope> scope, Kind kind, std::string id,
                std::shared_ptr<Principal const> principal);
    ~HttpSession();
    HttpSession(HttpSession const&) = delete;
    HttpSession& operator=(HttpSession const&) = delete;

    Kind kind() const noexcept { return kind_; }
    std::string const& id() const noexcept { return id_; }
    std::shared_ptr<Principal const> const& principal() const noexcept { return principal_; }
    /// Agreed in the handshake.
    std::optional<Version> version() const noexcept { return version_; }
    bool ended() const noexcept { return ended_; }
    /// Whether it has nothing open and was last used so long ago.
    bool is_idle(TimePoint now, Duration patience) const noexcept;
    void touch() noexcept { last_used_ = scope_->time.now(); }
    void expire_events(TimePoint now) noexcept {
        if (log_) log_->expire(now);
    }

    // What the client does.

    /// A request or a batch with one: answered with the reply, now or later.
    void take_request(SessionRequest&& request, Reply& reply);
    /// A message that is not answered. False where the session has no room for it.
    bool take(std::string_view text, rpc::Envelope const* envelope, TimePoint received);
    /// Opens a stream for messages that belong to no request.
    void open_stream(Reply& reply);
    /// Goes on with the stream that this event came by, or opens one.
    void resume(std::string_view last_event_id, Reply& reply);
    /// Opens the stream of a session of 2024-11-05, whose messages are POSTed to this target.
    void open_sse(Reply& reply, std::shared_ptr<PeerFacts const> facts, std::string_view target);
    /// Whether it could; then the stream is open.
    bool resume_sse(std::string_view last_event_id, Reply& reply, std::string_view target);

    /// Opens a single session as if its client had done it.
    void assume_handshake(Version version);

    /// The server stops: streams that would go on for ever end, and with the last answer the
    /// session.
    void stop();
    /// Ends it from either side: streams end, its reader gets the end.
    void end() noexcept;
    SessionInbox& inbox() noexcept { return inbox_; }
    rpc::EnvelopeReader& reader() noexcept { return scope_->incoming; }

    // What the server does, through the session's transport.

    void send(std::string_view message, rpc::Route route);
    /// The reader has dealt with what it got: what is not answered by now takes longer.
    void on_reader_waits();
    std::shared_ptr<PeerFacts const> facts(std::uint64_t origin) const;
    void release_stream(std::uint64_t origin);

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
    SessionStream* own_stream() const noexcept;
    void attach(SessionStream& stream, Reply& reply) noexcept;
    Reply* detach(SessionStream& stream) noexcept;
    void on_gone(SessionStream& stream) noexcept;

    bool can_stream(SessionStream const& stream) const noexcept;
    bool primes() const noexcept;
    EventLog& log();
    ReplyHead head(SessionStream const& stream, Content content) const noexcept;
    void begin_events(SessionStream& stream);
    void send_event(SessionStream& stream, std::string_view message, RouteKind kind);
    void finish(SessionStream& stream);
    void answer_whole(SessionStream& stream, std::string_view message);
    void end_unanswered(SessionStream& stream);
    void send_own(std::string_view message, RouteKind kind);
    void give_up(std::string_view message, RouteKind kind);
    void on_handshake_answer(std::string_view message);
    void on_answered();
    void cut_short(SessionStream& stream);
    bool try_resume(std::string_view last_event_id, Reply& reply, std::string_view target);

    std::shared_ptr<SessionScope> scope_;
    std::string id_;
    std::shared_ptr<Principal const> principal_;
    SessionInbox inbox_;
    std::unique_ptr<EventLog> log_;
    Streams answers_;                   // to requests, by origin
    Streams own_;                       // for messages that belong to none, the latest last
    std::vector<std::string> unheard_;  // messages for which there is no stream yet
    std::shared_ptr<PeerFacts const> facts_;
    TimePoint last_used_;
    std::uint64_t last_origin_ = 0;
    std::uint64_t delivered_ = 0;  // the origin that the reader was handed last
    std::optional<Version> version_;
    Kind kind_;
    bool ended_ = false;
    bool refused_ = false;        // the handshake failed
    bool leaves_traces_ = false;  // a single session that must not serve anybody else
};

}  // namespace lanyard::http
