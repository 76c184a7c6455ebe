// ClientObserver: the events of a client, for the user's own logs, metrics and traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <lanyard/client/connection.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/error.hpp>
#include <lanyard/protocol/meta.hpp>
#include <lanyard/rpc/request_id.hpp>

namespace lanyard {

/// Receives the events of a client. Override the functions for the events of interest. They are
/// called one at a time, in the order of the events, on the client's executor. For a blocking
/// client, they are called shortly after the event, on one of the client's threads. Arguments are
/// valid only until the function returns. If a function throws, the exception is reported to
/// ClientOptions::on_diagnostic and has no other effect.
class ClientObserver {
public:
    virtual ~ClientObserver() = default;

    /// A request that this client has sent. A call of a Client function consists of one request, or
    /// of several if the server asks for input.
    struct Request {
        std::string_view method;
        /// Unique among the requests of the client, even after a reconnect.
        std::int64_t id;
        std::optional<TraceContext> const& trace;
    };
    virtual void on_request_started(Request const& /*request*/) {}
    /// The request was answered with a result.
    virtual void on_request_ended(Request const& /*request*/, Duration /*took*/) {}
    /// The request ended without a result: with an error of the server, or with a local failure.
    virtual void on_request_failed(Request const& /*request*/, Duration /*took*/,
                                   Error const& /*error*/) {}

    /// The state of the connection has changed. `reason` is set if the connection was lost or could
    /// not be opened.
    virtual void on_state(ConnectionState /*from*/, ConnectionState /*to*/,
                          std::optional<Error> const& /*reason*/) {}

    /// The server has sent a notification other than progress and cancellation.
    virtual void on_notification(std::string_view /*method*/) {}
    /// The server broke a rule of the protocol; the connection stays open.
    virtual void on_violation(std::string_view /*what*/) {}
    /// The server answered a request that was never sent.
    virtual void on_unknown_response(RequestId const& /*id*/) {}
};

}  // namespace lanyard
