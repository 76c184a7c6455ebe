// Session: one peer of a server on a duplex connection.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lanyard/protocol/methods.hpp"
#include "rpc/list_changed.hpp"
#include "runtime/peer_connection.hpp"
#include "server/call.hpp"
#include "server/duplex_exchange.hpp"
#include "server/features.hpp"
#include "server/negotiation.hpp"

namespace lanyard::server {

/// Everything but post() and stop() is used on the transport's executor.
class Session final : public rpc::PeerEvents, public std::enable_shared_from_this<Session> {
public:
    Session(std::shared_ptr<ServerCore> core, std::unique_ptr<Transport> transport);

    /// Serves the peer until the connection ends.
    Task<> run();

    /// Runs the function on the session's executor, if the session is still there. Any thread.
    template <class F>
    void post(F function) {
        calls_.mailbox()->post([self = weak_from_this(), function = std::move(function)]() mutable {
            if (auto const session = self.lock()) function(*session);
        });
    }
    /// Refuses new requests, and closes the connection when those under way have ended or the grace
    /// is over. Any thread.
    void stop(Duration grace);

    void list_changed(rpc::ListKind kind);
    void send_log(LoggingMessageParams const& message);

    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override;
    void on_notification(rpc::Envelope const& notification) override;
    void on_violation(std::string_view what) override;

private:
    // A call together with the way it came.
    struct Served final : rpc::InboundWork {
        DuplexExchange exchange;
        Call* call = nullptr;
        void on_cancel(std::string_view) noexcept override { call->cancel(); }
    };

    void serve_protocol(rpc::Envelope const& request, DuplexExchange& exchange);
    void serve_feature(rpc::Envelope const& request, rpc::Ticket ticket);
    void initialize(rpc::Envelope const& request, DuplexExchange& exchange);
    void discover(DuplexExchange& exchange);
    void set_level(rpc::Envelope const& request, DuplexExchange& exchange);
    template <class Result>
    void answer(Exchange& exchange, Result const& result);
    Task<> shut_down(Duration grace);
    template <class Params>
    void notify(MethodInfo const& method, Params const& params);
    void send_list_changed(rpc::ListKind kind);
    void on_alarm();
    void rearm();

    std::shared_ptr<ServerCore> core_;
    runtime::PeerConnection connection_;
    Calls calls_;
    FeatureRequests features_;
    Negotiation negotiation_;
    rpc::ListChanged list_changes_;
    std::vector<std::unique_ptr<Served>> served_;  // by the slot of the call
    std::unique_ptr<Alarm> alarm_;
};

}  // namespace lanyard::server
