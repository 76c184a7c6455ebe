// How a carrier without connections (the HTTP endpoint) passes stateless requests to a server. A
// RequestEntry serves the requests. A Responder is one request with the means to answer it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lanyard/peer_info.hpp"
#include "lanyard/rpc/frame.hpp"
#include "lanyard/transport.hpp"
#include "peer/peer.hpp"
#include "wire/errors.hpp"

namespace lanyard::rpc {

/// One request and the means to answer its sender. Used only on the executor on which it arrived.
///
/// A request ends either with exactly one call of end_result(), fail() or abandon(), or when the
/// client disconnects. A disconnect is reported to the attached InboundWork object. The responder
/// must not be used after the request has ended.
class Responder {
public:
    virtual ~Responder() = default;

    /// Sets the InboundWork object that is notified when the client cancels the request or
    /// disconnects. Returns false if the client has already cancelled the request or disconnected.
    virtual bool attach(InboundWork& work) = 0;
    /// False once the request has ended or the client has cancelled it.
    virtual bool active() const noexcept = 0;
    /// Whether messages can be sent before the answer. If not, such messages are dropped.
    virtual bool can_stream() const noexcept = 0;

    /// Begins the answer: append the result (a JSON object on one line), then call end_result().
    /// Returns null if no answer may be sent; then end_result() must not be called.
    virtual std::string* begin_result() = 0;
    virtual void end_result() = 0;
    virtual void fail(wire::WireError const& error) = 0;
    /// Ends the request without an answer.
    virtual void abandon() = 0;

    /// Sends a notification that belongs to this request.
    virtual void notify(std::string_view method, std::string_view params) = 0;
    /// Immediately sends the messages that have been written so far, without waiting for the
    /// answer. Must not be called from a callback of the carrier.
    virtual void flush() = 0;
};

/// The carrier (for example, HTTP) of a session that was suspended by RequestEntry::suspend().
class SuspendingCarrier {
public:
    /// Sends the client a notification, or stores it for the client if it cannot be sent now.
    virtual void send_notification(std::string_view message) = 0;
    /// The id of the session. May be called from any thread.
    virtual std::string_view session_id() const noexcept = 0;
    /// The transport of the session. May be called from any thread.
    virtual TransportInfo info() const = 0;

protected:
    ~SuspendingCarrier() = default;
};

namespace detail {

/// Serves stateless requests. They need no session, because each contains data about its sender and
/// names its revision. There is one request entry per executor, and it is used only on that
/// executor.
class RequestEntry {
public:
    virtual ~RequestEntry() = default;

    /// Creates the request entry through which the endpoint serves stateless requests on this
    /// executor. The executor must outlive the result. Returns null if the endpoint serves only
    /// connections.
    static std::shared_ptr<RequestEntry> open(Endpoint& endpoint,
                                              boost::asio::any_io_executor executor) {
        return endpoint.open_entry(std::move(executor));
    }

    /// Serves a request. The request may end before or after this function returns, but the
    /// envelope is valid only until it returns. The responder must live until the request has ended
    /// or the client has disconnected. After a disconnect, a handler may still run and use `info`,
    /// so this object shares the ownership of `info` until the handler has ended.
    virtual void handle(Envelope const& request, std::shared_ptr<PeerInfo const> const& info,
                        Responder& responder, TimePoint received) = 0;

    /// Ends the subscription streams of clients, and cancels the remaining requests after the grace
    /// period. The carrier must pass no further requests.
    virtual void shut_down(Duration grace) noexcept = 0;

    /// The number of requests that have not ended, including open subscription streams.
    virtual std::size_t in_flight() const noexcept = 0;

    /// Suspends the session that receives its frames through the sink `session`; see
    /// FrameSink::suspend(). Until the returned object is destroyed, the notifications that the
    /// session would have sent to its client are passed to the carrier.
    virtual std::unique_ptr<Suspended> suspend(FrameSink& /*session*/,
                                               SuspendingCarrier& /*carrier*/) {
        return nullptr;
    }

    /// Returns the state of a session as it is after a handshake in which the client has agreed to
    /// this revision and has declared no capabilities. A transport that returns this state from
    /// TransportExtras::take_suspended() needs no handshake. Returns null if sessions cannot begin
    /// in this way.
    virtual std::unique_ptr<Suspended> assume_handshake(Version /*version*/) { return nullptr; }
};

}  // namespace detail

using detail::RequestEntry;

}  // namespace lanyard::rpc
