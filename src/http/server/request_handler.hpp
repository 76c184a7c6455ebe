// RequestHandler: answers the requests that connections have read and admitted.
#pragma once

#include <memory>
#include <string_view>

#include <lanyard/auth/verifier.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/task.hpp>

#include "http/server/admission.hpp"
#include "http/server/reply.hpp"
#include "http/server/request_reader.hpp"

namespace lanyard::http {

/// A request that was admitted and has arrived completely. Everything but the body stays valid, and
/// in place, until its reply has ended.
struct HttpRequest {
    RequestHead const& head;
    Admission const& admission;
    std::string_view body;  ///< valid during RequestHandler::on_request() only
    /// The authenticated caller; null if no verifier is set.
    std::shared_ptr<Principal const> const& principal;
    std::string_view peer;  ///< "192.0.2.1:49152"
    TimePoint received;     ///< when the last byte arrived
    /// For the handler's own use: the connection keeps an object that is stored here.
    std::shared_ptr<void>& attachment;
};

/// All functions are called on one executor.
class RequestHandler {
public:
    virtual ~RequestHandler() = default;

    /// Answers the request, now or later. The connection reads no further request before the reply
    /// has ended. The object `request` is valid during the call only; a copy (it consists of
    /// references and views) may be used longer. The connection itself answers preflight requests.
    virtual void on_request(HttpRequest const& request, Reply& reply) = 0;

    /// Called when the server stops. Replies under way may take up to `grace`; streams that would
    /// not end by themselves should finish() now. New requests should be refused with 503, except
    /// those that a request under way depends on.
    virtual void on_stop(Duration grace) noexcept = 0;

    /// Called when the grace period is over: everything still under way must be answered now, with
    /// 503 if there is no better answer.
    virtual void end_replies() noexcept {}

    /// Completes when all work that requests have started has ended. To be awaited after on_stop(),
    /// once all replies have ended.
    virtual Task<> ended() { co_return; }
};

}  // namespace lanyard::http
