// RequestHandler: answers the requests that connections have read and admitted.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "http/server/admission.hpp"
#include "http/server/reply.hpp"
#include "http/server/request_reader.hpp"
#include "lanyard/auth/verifier.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/task.hpp"

namespace lanyard::http {

/// A request that was admitted and has arrived completely. The objects that the data members refer
/// to stay valid until the reply has ended, except the body.
struct HttpRequest {
    RequestHead const& head;
    Admission const& admission;
    /// Valid until RequestHandler::on_request() returns, or longer: see Reply::keeps_request().
    std::string_view body;
    /// The authenticated caller; null if no verifier is set.
    std::shared_ptr<Principal const> const& principal;
    /// The client's address and port, such as "192.0.2.1:49152".
    std::string_view peer;
    /// When the request's last byte arrived.
    TimePoint received;
    /// For the handler's own use: an object stored here is kept for the connection's next requests,
    /// until the connection has been idle for a while.
    std::shared_ptr<void>& attachment;
    /// The subject of the client's certificate; empty if TLS has not verified one.
    std::string_view certificate{};
    /// How often the connection has moved to another loop (see LoopSet).
    unsigned moves = 0;
};

/// All functions are called on one executor.
class RequestHandler {
public:
    virtual ~RequestHandler() = default;

    /// Answers the request, now or later. The connection reads no further request before the reply
    /// has ended. The object `request` itself is valid only until on_request() returns; a copy (it
    /// consists of references and views) may be used longer. CORS preflight requests do not get
    /// here: the connection answers them.
    virtual void on_request(HttpRequest const& request, Reply& reply) = 0;

    /// Stops the handler: calls on_stop(), unless on_stop() was called before. From then on, each
    /// response closes its connection.
    void stop(Duration grace) noexcept {
        if (!std::exchange(stopping_, true)) on_stop(grace);
    }
    /// Whether stop() was called. Connections and sessions use this function.
    bool stopping() const noexcept { return stopping_; }

    /// Called when the grace period is over: all pending requests must be answered now, with 503 if
    /// there is no better answer.
    virtual void end_replies() noexcept {}

    /// Completes when all work that requests have started has ended. Must be awaited after stop(),
    /// when all replies have ended.
    virtual Task<> ended() { co_return; }

protected:
    /// For a destructor: stopping() becomes true, without a call of on_stop().
    void mark_stopped() noexcept { stopping_ = true; }

private:
    /// Called when the server stops. Pending replies may take up to `grace`; streams that would not
    /// end by themselves should be ended now with Reply::finish(). New requests should be refused
    /// with 503, except those that a pending request depends on.
    virtual void on_stop(Duration grace) noexcept = 0;

    bool stopping_ = false;
};

}  // namespace lanyard::http
