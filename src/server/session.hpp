// Session: one peer of a server on a duplex connection.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "lanyard/protocol/methods.hpp"
#include "lanyard/server/server.hpp"
#include "runtime/peer_connection.hpp"
#include "server/call.hpp"
#include "server/duplex_exchange.hpp"
#include "server/features.hpp"
#include "server/negotiation.hpp"
#include "server/subscriptions.hpp"

namespace lanyard::server {

/// Everything but post(), stop() and info() is used on the transport's executor.
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

    /// What is known about it. Any thread.
    SessionInfo info() const;

    void list_changed(rpc::ListKind kind);
    void resource_updated(std::string_view uri);
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

    bool serve_protocol(rpc::Envelope const& request, DuplexExchange& exchange);
    void serve_feature(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now);
    void serve_other(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now);
    void initialize(rpc::Envelope const& request, DuplexExchange& exchange);
    void discover(DuplexExchange& exchange);
    void set_level(rpc::Envelope const& request, DuplexExchange& exchange);
    void subscribe(rpc::Envelope const& request, DuplexExchange& exchange, bool on);
    void listen(rpc::Envelope const& request, DuplexExchange& exchange);
    template <class Result>
    void answer(Exchange& exchange, Result const& result);
    Task<> shut_down(Duration grace);
    template <class Params>
    void notify(MethodInfo const& method, Params const& params);
    template <class Params>
    std::optional<Params> decode(rpc::Envelope const& request, DuplexExchange& exchange);
    Subscriptions::SessionView view() const noexcept;
    bool may_read(rpc::Envelope const& request, rpc::Ticket ticket, std::string_view uri);
    Served& take_call(rpc::Ticket ticket);
    std::shared_ptr<PeerFacts const> facts_of(rpc::Ticket ticket) const;
    void keep_alive(TimePoint now);
    void publish();
    void on_alarm();
    void rearm();

    std::shared_ptr<ServerCore> core_;
    runtime::PeerConnection connection_;
    std::shared_ptr<PeerFacts const> facts_;  // of the connection as a whole
    Calls calls_;
    FeatureRequests features_;
    Negotiation negotiation_;
    Subscriptions subscriptions_;
    std::vector<std::unique_ptr<Served>> served_;  // by the slot of the call
    std::unique_ptr<Alarm> alarm_;

    // Asks a silent peer whether it is there.
    struct Keepalive final : rpc::AnswerSink {
        explicit Keepalive(Session& session) noexcept : owner(session) {}
        void on_answer(rpc::Answer const& answer) noexcept override;

        Session& owner;
        TimePoint due = rpc::never;
        TimePoint last_heard = TimePoint::min();
        bool waiting = false;
    } keepalive_{*this};

    // What other threads may ask about.
    mutable std::mutex info_mutex_;
    SessionInfo info_;
    std::atomic<std::uint64_t> requests_ = 0;
    std::atomic<std::uint64_t> violations_ = 0;
    std::atomic<std::size_t> in_flight_ = 0;
};

}  // namespace lanyard::server
