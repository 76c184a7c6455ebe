// Negotiation: determines the revision and the client of a request on a connection (MCP
// specification, basic/lifecycle in revisions with a handshake, basic/index in revisions with
// metadata on every request).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lanyard/protocol/initialize.hpp"
#include "lanyard/protocol/methods.hpp"
#include "peer/negotiation.hpp"
#include "peer/phase.hpp"
#include "server/call/metadata.hpp"
#include "server/clients/suspended_sessions.hpp"
#include "wire/modern.hpp"

namespace lanyard::server {

using Refused = Unexpected<wire::WireError>;

/// The negotiation on one connection. Not thread-safe.
class Negotiation {
public:
    /// `repeatable`: whether a second `initialize` is answered like the first. Otherwise it is
    /// refused.
    Negotiation(ServerCore& core, TimePoint now, bool repeatable);

    /// Decides whether a request may be served now, and for which revision and client.
    Result<void, wire::WireError> admit(rpc::Envelope const& request, TimePoint now);
    /// Whether admit() would accept the request and change nothing. This is the case in a running
    /// legacy session, for every request that is not `initialize` and carries no modern metadata.
    bool takes_at_once(rpc::Envelope const& request) const noexcept {
        return pin_.era() == Era::legacy && phases_.phase() == rpc::ServerPhase::ready &&
               request.method != methods::Initialize::info.name &&
               !wire::has_protocol_claim(request.meta);
    }

    // These functions describe the request that was admitted last.

    Version version() const noexcept { return version_; }
    std::shared_ptr<ClientInfo const> const& client() const noexcept { return client_; }
    std::optional<LoggingLevel> log_level() const noexcept { return log_level_; }

    /// Serves `initialize`. A repeated `initialize` replaces the stored client info, the
    /// version and the log level, but not the phase.
    Result<InitializeResult, wire::WireError> initialize(rpc::Envelope const& request,
                                                         TimePoint now);
    /// Processes `notifications/initialized`.
    void on_initialized(TimePoint now);
    /// Returns the state of a session as it is after a handshake in which the client has agreed to
    /// this revision and has declared no capabilities.
    static std::unique_ptr<SuspendedSession> assume_handshake(ServerCore& core, Version version,
                                                              TimePoint now);
    /// Restores the state of a suspended session.
    void go_on(SuspendedSession const& suspended);
    /// Stores in `suspended` the state from which the session can be restored. has_session() must
    /// be true.
    void describe(SuspendedSession& suspended) const;
    /// Processes `logging/setLevel`.
    void set_log_level(LoggingLevel level) noexcept { log_level_ = level; }

    /// Whether there is a legacy session, so that requests and notifications may be sent to the
    /// client at any time.
    bool has_session() const noexcept;
    /// The capabilities that were announced to the client, which are fixed for the session. Null if
    /// none were announced: each request is then checked against the current capabilities.
    ServerCapabilities const* declared() const noexcept { return declared_.get(); }

    rpc::PhaseMachine<rpc::ServerPhase>& phases() noexcept { return phases_; }
    rpc::ServerPhase phase() const noexcept { return phases_.phase(); }
    /// The time by which the client must have completed the initialization; `never` if there is no
    /// limit.
    TimePoint deadline() const noexcept;

private:
    Result<void, wire::WireError> admit_by_session(rpc::Envelope const& request, TimePoint now);
    Result<void, wire::WireError> admit_by_metadata(rpc::Envelope const& request, TimePoint now);
    void enter_ready(TimePoint now, std::string_view reason);
    wire::WireError refuse(Error const& error, rpc::Envelope const& request) const;

    ServerCore& core_;
    rpc::EraPin pin_;
    rpc::PhaseMachine<rpc::ServerPhase> phases_;
    Version version_ = newest_legacy_version;
    std::shared_ptr<ClientInfo const> client_;
    std::optional<LoggingLevel> log_level_;
    std::shared_ptr<ServerCapabilities const> declared_;
    bool discovered_ = false;
    bool repeatable_;
    MetadataReader metadata_;
};

}  // namespace lanyard::server
