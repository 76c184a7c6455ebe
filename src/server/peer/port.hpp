// Port: serves stateless requests, each with its own metadata (basic/index, from 2026-07-28).
#pragma once

#include "server/peer/peer_group.hpp"
#include "server/peer/resting_sessions.hpp"
#include "server/peer/standalone_exchange.hpp"

namespace lanyard::server {

/// Serves any number of clients on one executor, and holds the suspended sessions of that executor.
/// All functions must be called on the executor, except those marked "any thread".
class Port final : public PeerGroup, private StandaloneHost {
public:
    Port(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor);

    void handle(rpc::Envelope const& request, std::shared_ptr<PeerFacts const> const& facts,
                rpc::Exchange& exchange, TimePoint received);
    void shut_down(Duration grace) override;
    std::size_t in_flight() const noexcept override {
        return open_.load(std::memory_order_relaxed);
    }
    /// Called before the executor ends: ends running calls without an answer.
    void close() noexcept;

    /// See rpc::RequestPort::rest().
    std::unique_ptr<rpc::Rested> rest(rpc::FrameSink& session, rpc::RestingCarrier& carrier);
    void list_sessions(std::vector<SessionInfo>& sessions) const override {
        resting_.list(sessions);
    }
    bool stands_alone() const noexcept override { return true; }

    void list_changed(rpc::ListKind kind) override;
    void resource_updated(std::string_view uri) override;
    /// Sends the message to suspended sessions only, because each stateless request sets its own
    /// log level.
    void send_log(LoggingMessageParams const& message) override {
        resting_.send_log(message, now());
    }
    /// Does nothing: web pages have no ids in stateless requests, and the client repeats its
    /// request when the user has finished.
    void elicitation_complete(std::string const&) override {}

private:
    TimePoint now() const noexcept override { return core_->time().now(); }
    void on_held(StandaloneExchange& exchange) override;
    void on_ended(StandaloneExchange& exchange) noexcept override;
    void rearm() override;
    void on_alarm();
    void end_rest();
    bool open(StandaloneExchange& exchange, rpc::Exchange& carrier, Arrival const& arrival);

    MetadataReader metadata_;
    std::vector<std::unique_ptr<Served<StandaloneExchange>>> served_;  // by the slot of the call
    std::vector<StandaloneExchange*> held_;  // exchanges with progress that is due later
    std::atomic<std::size_t> open_ = 0;
    RestingSessions resting_;
    bool stopping_ = false;
    std::unique_ptr<Alarm> alarm_;
    TimePoint last_moment_ = rpc::never;  // the time at which a stopping server ends its requests
};

/// Creates the port through which a carrier, such as the HTTP endpoint, passes stateless requests
/// to the server.
std::unique_ptr<rpc::RequestPort> open_port(std::shared_ptr<ServerCore> core,
                                            boost::asio::any_io_executor const& executor);

}  // namespace lanyard::server
