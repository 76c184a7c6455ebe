// ServerSession: one client of a server, on a duplex connection.
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
#include "server/clients/client_events.hpp"
#include "server/clients/negotiation.hpp"
#include "server/clients/serving_group.hpp"
#include "server/clients/session_responder.hpp"
#include "server/core/client_log_limit.hpp"

namespace lanyard::server {

/// All functions must be called on the transport's executor, except info() and the functions of
/// PeerGroup that may be called on any thread.
class ServerSession final : public ServingGroup, public rpc::PeerEvents {
public:
    /// `suspended` is the state of a suspended session to resume, or null.
    ServerSession(std::shared_ptr<ServerCore> core, runtime::ExtendedTransport transport,
                  SuspendedSession const* suspended);

    /// Serves the peer until the connection ends.
    Task<> run();
    /// Must be called after run() has completed. Completes when the handlers have ended as well, or
    /// when a time limit has expired.
    Task<> wind_up();

    SessionInfo info() const;
    void list_sessions(std::vector<SessionInfo>& sessions) const override {
        if (!suspended_) sessions.push_back(info());
    }
    std::size_t in_flight() const noexcept override { return in_flight_; }
    void list_pending(std::vector<UnansweredRequest>& found) const override;

    void list_changed(rpc::NotifiedList kind) override;
    void resource_updated(std::string_view uri) override;
    void send_log(LoggingMessageParams const& message) override;
    void elicitation_complete(std::string const& id) override;

    void on_messages(std::size_t count) override;
    void on_messages_taken() override { calls_.batch(false); }
    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override;
    void on_notification(rpc::Envelope const& notification) override;
    void on_violation(std::string_view what) override;
    void on_late_answer() override { note_counts(); }
    bool on_input_ended() override;
    void on_failure(Error const& failure) noexcept override;
    void on_due() override;
    std::unique_ptr<rpc::Suspended> suspend() override;

private:
    /// Returns whether the request may be served. If not, answers it with an error.
    bool admit(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now);
    bool serve_protocol(rpc::Envelope const& request, SessionResponder& responder);
    bool hold(Served<SessionResponder>& served);
    void serve_feature(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now);
    void serve_other(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now);
    void initialize(rpc::Envelope const& request, SessionResponder& responder);
    void replace_client(TimePoint now);
    void on_session_ready(TimePoint now);
    void set_level(rpc::Envelope const& request, SessionResponder& responder);
    void subscribe(rpc::Envelope const& request, SessionResponder& responder, bool on);
    void listen(rpc::Envelope const& request, rpc::Ticket ticket);
    void shut_down(Duration grace) override;
    void close_later(Duration grace);
    Task<> close_when_idle(Duration grace);
    template <class Params>
    void notify(MethodInfo const& method, Params const& params);
    ServerSubscriptions::SessionView view() const noexcept;
    void subscribe_if_readable(rpc::Envelope const& request, rpc::Ticket ticket,
                               std::string const& uri);
    void finish_subscribing(SessionResponder& responder, std::string const& uri, bool readable);
    Served<SessionResponder>& take_call(rpc::Ticket ticket);
    Arrival arrival(rpc::Envelope const& request, std::shared_ptr<PeerInfo const> const& info,
                    TimePoint now) const noexcept;
    std::shared_ptr<PeerInfo const> const& request_info();
    void begin_keepalive(TimePoint now);
    void keep_alive(TimePoint now);
    void publish();
    void on_phase();
    void take_notification(rpc::Envelope const& notification);
    ClientEvents& events();
    void note_counts() noexcept;
    void rearm() override;
    void on_call_continues(Call& call) override;

    runtime::PeerConnection connection_;
    std::shared_ptr<PeerInfo const> info_;  // data about the peer, valid for the whole connection
    std::shared_ptr<PeerInfo const> request_info_;  // data about the sender of the last request
    Negotiation negotiation_;
    ClientLogLimit log_limit_;  // for the messages that belong to no request
    std::uint64_t handshakes_ = 0;
    // Whether the peer has half-closed the connection.
    bool finishing_ = false;
    // The index is Call::slot().
    std::vector<std::unique_ptr<Served<SessionResponder>>> served_;

    std::shared_ptr<ClientEvents> events_;  // created for the first event that has a handler
    // The counts of this connection that have been added to those of the server.
    struct NotedCounts {
        std::uint64_t late = 0;
        std::uint64_t unknown = 0;
        std::uint64_t evicted = 0;
        std::uint64_t refused = 0;
    } noted_;

    // Sends pings to an idle peer to check whether it is alive.
    struct Keepalive final : rpc::AnswerSink {
        explicit Keepalive(ServerSession& session) noexcept : owner(session) {}
        void on_answer(rpc::Answer const& answer) noexcept override;

        ServerSession& owner;
        TimePoint due = never;
        TimePoint last_heard = TimePoint::min();
        bool waiting = false;
    } keepalive_{*this};

    // A copy of the session's state for other threads, guarded by published_mutex_. Without the
    // lock, other threads may read only info_, which never changes, and the atomics below.
    struct Published {
        TransportInfo transport;
        std::shared_ptr<ClientInfo const> client;
        std::optional<Version> version;
        std::vector<rpc::PhaseMachine<rpc::ServerPhase>::Transition> phases;
        std::size_t subscriptions = 0;
        std::uint64_t handshakes = 0;
    };
    mutable std::mutex published_mutex_;
    Published published_;
    std::atomic<std::uint64_t> violations_ = 0;
    std::atomic<std::size_t> in_flight_ = 0;
    // Whether a SuspendedSession has replaced this session.
    std::atomic<bool> suspended_ = false;
};

/// Creates the session of a connection, or resumes the suspended session that the transport holds.
std::shared_ptr<ServerSession> make_session(std::shared_ptr<ServerCore> core,
                                            std::unique_ptr<Transport> transport);

}  // namespace lanyard::server
