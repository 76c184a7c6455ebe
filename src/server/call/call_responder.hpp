// CallResponder: answers one request of a client, independent of the carrier of the request.
#pragma once

#include <cstdint>
#include <string_view>

#include "peer/responder.hpp"

namespace lanyard::server {

/// Sends the answer to a request, and also progress and questions, to the client. Unlike the
/// responder of the connection, this object stays valid as long as a Call object refers to it. Once
/// the request has ended or has been cancelled, the functions of this object have no effect.
class CallResponder : public rpc::Responder {
public:
    /// Whether optional messages should be dropped, because too many bytes are queued for the
    /// client.
    virtual bool is_behind() const noexcept = 0;
    /// Reports progress, if the client has asked for it.
    virtual void progress(rpc::ProgressUpdate update) = 0;

    /// Sends a question to the client while its request is being served. Returns the id of the
    /// question. If the question cannot be sent, fails without calling the sink.
    virtual Result<std::int64_t> ask(std::string_view method, std::string_view params,
                                     rpc::AnswerSink& sink,
                                     rpc::RequestSettings const& options) = 0;
    /// Cancels a question: its sink gets Outcome::cancelled.
    virtual void cancel_question(std::int64_t id, std::string_view reason) = 0;

    /// Closes the stream that carries the messages of this request. The client gets the remaining
    /// messages when it resumes the stream.
    virtual void release_stream() = 0;
};

}  // namespace lanyard::server
