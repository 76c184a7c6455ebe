// RequestHandler: what answers the requests that connections have read and admitted.
#pragma once

#include <memory>
#include <string_view>

#include <lanyard/auth/verifier.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/task.hpp>

#include "http/admission.hpp"
#include "http/reply.hpp"
#include "http/request_reader.hpp"

namespace lanyard::http {

/// A request that was admitted and has arrived completely. Everything but the body stays valid, and
/// in place, until its reply has ended or is gone.
struct Request {
    RequestHead const& head;
    Admission const& admission;
    std::string_view body;  ///< valid during RequestHandler::on_request() only
    /// Who calls; null where no verifier is set.
    std::shared_ptr<Principal const> const& principal;
    std::string_view peer;  ///< "192.0.2.1:49152"
    TimePoint received;     ///< when the last byte had come
    /// For the handler's own use: what it keeps here stays while the connection is in use.
    std::shared_ptr<void>& attachment;
};

/// All functions are called on one executor.
class RequestHandler {
public:
    virtual ~RequestHandler() = default;

    /// Answers, now or later. The connection reads no further request before the reply has ended.
    /// `request` itself is valid during the call only: copy it (it consists of references and
    /// views). Preflights do not come here.
    virtual void on_request(Request const& request, Reply& reply) = 0;

    /// The server stops. Replies that are under way are awaited as long as the grace; streams that
    /// would go on for ever should finish() now. Requests that still come are best answered with
    /// 503, except those that help one under way to its end.
    virtual void on_stop(Duration grace) noexcept = 0;

    /// The grace is over: what is still under way is answered now, with 503 if nothing else can be
    /// said.
    virtual void end_replies() noexcept {}

    /// Completes when nothing is left of what requests have begun. To be awaited after on_stop(),
    /// once all replies have ended or are gone.
    virtual Task<> ended() { co_return; }
};

}  // namespace lanyard::http
