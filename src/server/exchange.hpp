// Exchange: how one request of a client is answered, whatever carries it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rpc/peer.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

/// One request and the way back to whoever sent it. Used on the executor of the connection.
///
/// A request ends with exactly one of begin_result (and end_result), fail and abandon; whatever
/// comes afterwards, or after the client has cancelled, does nothing.
class Exchange {
public:
    virtual ~Exchange() = default;

    /// False once the request has ended or the client has cancelled it.
    virtual bool active() const noexcept = 0;

    /// Begins the answer: append the result (a JSON object on one line), then end_result(). Null
    /// where there must be no answer; then there is nothing to end.
    virtual std::string* begin_result() = 0;
    virtual void end_result() = 0;
    virtual void fail(wire::WireError const& error) = 0;
    /// Ends the request without an answer.
    virtual void abandon() = 0;

    /// Sends a notification that belongs to this request.
    virtual void notify(std::string_view method, std::string_view params) = 0;
    /// Reports progress, if the client wants to know.
    virtual void progress(rpc::ProgressUpdate update) = 0;

    /// Asks the client something while the request is being served. Fails without a call of the
    /// sink where the question cannot be sent.
    virtual Result<std::int64_t> ask(std::string_view method, std::string_view params,
                                     rpc::AnswerSink& sink, rpc::CallOptions const& options) = 0;
    /// Gives a question up: its sink gets Outcome::cancelled.
    virtual void cancel_question(std::int64_t id, std::string_view reason) = 0;

    /// Sends what was written outside of the carrier's own callbacks.
    virtual void flush() = 0;
};

}  // namespace lanyard::server
