// StatelessPeer: serves stateless requests, each with its own metadata (MCP specification,
// basic/index, from 2026-07-28).
#pragma once

#include "server/clients/serving_group.hpp"
#include "server/clients/stateless_responder.hpp"
#include "server/clients/suspended_sessions.hpp"

namespace lanyard::server {

/// Serves any number of clients on one executor, and holds the suspended sessions of that executor.
/// All functions must be called on the executor, unless the comments in PeerGroup say otherwise.
class StatelessPeer final : public ServingGroup, public rpc::RequestEntry, private StatelessHost {
public:
    StatelessPeer(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor);

    void handle(rpc::Envelope const& request, std::shared_ptr<PeerInfo const> const& info,
                rpc::Responder& responder, TimePoint received) override;
    void shut_down(Duration grace) noexcept override;
    std::size_t in_flight() const noexcept override { return open_.value(); }
    /// Must be called before the executor is destroyed. Running calls end without an answer.
    void close() noexcept;

    std::unique_ptr<rpc::Suspended> suspend(rpc::FrameSink& session,
                                            rpc::SuspendingCarrier& carrier) override;
    std::unique_ptr<rpc::Suspended> assume_handshake(Version version) override;
    void list_sessions(std::vector<SessionInfo>& sessions) const override {
        suspended_.list(sessions);
    }
    void list_pending(std::vector<UnansweredRequest>& found) const override {
        calls_.list_pending({}, found);
    }
    bool is_stateless() const noexcept override { return true; }

    void list_changed(rpc::NotifiedList kind) override;
    void resource_updated(std::string_view uri) override;
    /// Sends the log message to suspended sessions only. Stateless clients have no log level
    /// outside a request, so they do not get messages that belong to no request.
    void send_log(LoggingMessageParams const& message) override {
        if (suspended_.send_log(message, now())) return;
        core_->limits().add(&LimitCounts::dropped_log_messages);
    }
    /// Does nothing. An elicitation that opens a web page has no id if the request is stateless:
    /// the client repeats the request when the user has finished on that page.
    void elicitation_complete(std::string const&) override {}

private:
    TimePoint now() const noexcept override { return core_->time().now(); }
    void on_held(StatelessResponder& responder) override;
    void on_ended(StatelessResponder& responder) noexcept override;
    void rearm() override;
    void on_alarm();
    void end_remaining_calls();
    bool open(StatelessResponder& responder, rpc::Responder& carrier, Arrival const& arrival);

    MetadataReader metadata_;
    // The index is Call::slot().
    std::vector<std::unique_ptr<Served<StatelessResponder>>> served_;
    // The responders with progress that is due later.
    rpc::HeldProgress<StatelessResponder*> held_;
    RelaxedCounter<std::size_t> open_;
    SuspendedSessions suspended_;
    std::unique_ptr<Alarm> alarm_;
    // The time at which a server that is stopping ends its remaining requests.
    TimePoint last_moment_ = never;
};

/// Creates the request entry through which a carrier, such as the HTTP endpoint, passes stateless
/// requests to the server. The entry is registered with the server until the carrier releases it.
std::shared_ptr<rpc::RequestEntry> open_entry(std::shared_ptr<ServerCore> core,
                                              boost::asio::any_io_executor const& executor);

}  // namespace lanyard::server
