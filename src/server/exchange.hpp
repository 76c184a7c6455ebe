// Exchange: how one request of a client is answered, whatever carries it.
#pragma once

#include <cstdint>
#include <string_view>

#include "rpc/exchange.hpp"

namespace lanyard::server {

/// What a call needs beside the way back: progress, and questions to the client meanwhile. Unlike
/// that of a carrier, it lives as long as whoever uses it: what comes after the end, or after the
/// client has cancelled, does nothing.
class Exchange : public rpc::Exchange {
public:
    /// Whether so much waits for the client that nothing should be added that it does not wait for.
    virtual bool is_behind() const noexcept = 0;
    /// Reports progress, if the client wants to know.
    virtual void progress(rpc::ProgressUpdate update) = 0;

    /// Asks the client something while the request is being served. Fails without a call of the
    /// sink where the question cannot be sent.
    virtual Result<std::int64_t> ask(std::string_view method, std::string_view params,
                                     rpc::AnswerSink& sink, rpc::CallOptions const& options) = 0;
    /// Gives a question up: its sink gets Outcome::cancelled.
    virtual void cancel_question(std::int64_t id, std::string_view reason) = 0;

    /// Lets the stream go that carries what belongs to the request; the rest reaches a client that
    /// comes back for it.
    virtual void release_stream() = 0;
};

}  // namespace lanyard::server
