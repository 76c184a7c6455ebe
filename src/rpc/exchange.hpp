// How a carrier without connections (HTTP) hands over requests that stand alone: Exchange, one
// request with the way back to whoever sent it, and RequestPort, who takes them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "lanyard/peer_facts.hpp"
#include "lanyard/rpc/frame.hpp"
#include "lanyard/transport.hpp"
#include "rpc/peer.hpp"
#include "wire/errors.hpp"

namespace lanyard::rpc {

/// One request and the way back to whoever sent it. Used on the executor it came by.
///
/// A request ends with exactly one of end_result, fail and abandon, or because the client goes:
/// then the work attached is told. Whoever serves the request does not touch the exchange any more
/// once one of these has happened.
class Exchange {
public:
    virtual ~Exchange() = default;

    /// Sets who is told when the client cancels or goes. False where that has happened already.
    virtual bool attach(InboundWork& work) = 0;
    /// False once the request has ended or the client has cancelled it.
    virtual bool active() const noexcept = 0;
    /// Whether anything can be sent ahead of the answer; what is sent where it cannot is dropped.
    virtual bool can_stream() const noexcept = 0;

    /// Begins the answer: append the result (a JSON object on one line), then end_result(). Null
    /// where there must be no answer; then there is nothing to end.
    virtual std::string* begin_result() = 0;
    virtual void end_result() = 0;
    virtual void fail(wire::WireError const& error) = 0;
    /// Ends the request without an answer.
    virtual void abandon() = 0;

    /// Sends a notification that belongs to this request.
    virtual void notify(std::string_view method, std::string_view params) = 0;
    /// Sends what was written before the answer, outside of the carrier's own callbacks.
    virtual void flush() = 0;
};

/// Carries a session that rests.
class RestingCarrier {
public:
    /// Sends the client a notification, or keeps it for the client as ever.
    virtual void tell(std::string_view message) = 0;
    /// What it is called, and what carries it. Any thread.
    virtual std::string_view session_id() const noexcept = 0;
    virtual TransportInfo info() const = 0;

protected:
    ~RestingCarrier() = default;
};

/// Serves requests that stand alone: each says who sends it and in which revision. One for each
/// executor, and used on it only.
class RequestPort {
public:
    virtual ~RequestPort() = default;

    /// Serves a request, which ends now or later. The envelope is valid only during the call; the
    /// exchange must live until it has ended or the client is gone. The facts are kept as long as
    /// the request is served, which may be longer.
    virtual void handle(Envelope const& request, std::shared_ptr<PeerFacts const> const& facts,
                        Exchange& exchange, TimePoint received) = 0;

    /// Refuses what comes from now on, ends the streams that clients listen to, and ends what is
    /// still being served when the grace is over.
    virtual void stop(Duration grace) noexcept = 0;

    /// Requests that have not ended, streams included.
    virtual std::size_t in_flight() const noexcept = 0;

    /// Lets a session of this executor rest, which takes its frames by this sink: as
    /// FrameSink::rest(), and until what is returned is destroyed, the carrier is told what the
    /// session would have told its client.
    virtual std::unique_ptr<Rested> rest(FrameSink& /*session*/, RestingCarrier& /*carrier*/) {
        return nullptr;
    }
};

}  // namespace lanyard::rpc
