// SessionShared: the data that all sessions of an HTTP endpoint share. SessionOwner: receives
// events of the sessions.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/mcp/endpoint_shared.hpp"
#include "http/mcp/event_log.hpp"
#include "http/mcp/mcp_counters.hpp"
#include "http/mcp/session_stream.hpp"
#include "http/server/loop_set.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/http/mcp_options.hpp"
#include "lanyard/time_source.hpp"
#include "peer/responder.hpp"
#include "runtime/loop.hpp"

namespace lanyard::http {

class HttpSession;

/// Receives events of sessions.
class SessionOwner {
public:
    /// A session of SessionKind::stateless has answered its request and can serve the next one.
    virtual void on_free(HttpSession& session) noexcept = 0;
    /// The session has ended.
    virtual void on_ended(HttpSession& session) noexcept = 0;
    /// A suspended session must resume: the owner must pass it to the server again.
    virtual void on_resume(HttpSession& session) = 0;
    /// The server has finished serving one of the sessions.
    virtual void on_released() noexcept = 0;
    /// Whether the endpoint is stopping.
    virtual bool is_stopping() const noexcept = 0;

protected:
    ~SessionOwner() = default;
};

/// The data that all sessions of an McpHandler share. Each session holds a shared pointer to this
/// object, because the server may keep a session for a while after the McpHandler was destroyed.
struct SessionShared {
    /// `place` is the place of the executor among the loops of the listener.
    SessionShared(boost::asio::any_io_executor on, McpHttpOptions const& settings,
                  TimeSource& source, std::shared_ptr<EndpointShared> shared, LoopPlace at)
        : executor(std::move(on)),
          options(settings),
          time(source),
          endpoint(std::move(shared)),
          place(std::move(at)),
          loop(runtime::Loop::of(executor)),
          events({.max_events = settings.max_kept_events(),
                  .max_bytes = settings.max_kept_bytes(),
                  .max_total = settings.max_kept_total() / endpoint->ids.loops(),
                  .max_age = settings.event_expiry()},
                 [this] { return make_id(); }) {}
    SessionShared(SessionShared const&) = delete;
    SessionShared& operator=(SessionShared const&) = delete;

    /// Returns a new id for a session, which leads to this executor.
    std::string make_id() const { return endpoint->ids.make(place.index); }
    /// Whether the endpoint is stopping or has been destroyed.
    bool stopping() const noexcept { return owner == nullptr || owner->is_stopping(); }

    boost::asio::any_io_executor executor;
    McpHttpOptions options;
    TimeSource& time;
    std::shared_ptr<EndpointShared> endpoint;
    LoopPlace place;
    runtime::Loop* loop;  ///< null if the executor is not a Loop
    MemoryEventStore events;
    McpCounters counters;
    SessionOwner* owner = nullptr;       ///< null after the endpoint has been destroyed
    rpc::RequestEntry* entry = nullptr;  ///< suspends sessions; null if sessions are never
                                         ///< suspended
    std::size_t served = 0;              ///< number of sessions that the server is still serving
    std::vector<std::unique_ptr<SessionStream>> spare_streams;
    rpc::EnvelopeReader incoming;  ///< reads messages from clients
};

}  // namespace lanyard::http
