// Negotiation: which revision and which client a request on a connection belongs to
// (basic/lifecycle of the revisions with a handshake, basic/index of those with metadata on every
// request).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lanyard/protocol/initialize.hpp"
#include "lanyard/protocol/methods.hpp"
#include "rpc/negotiation.hpp"
#include "rpc/phase.hpp"
#include "server/metadata.hpp"
#include "server/resting_sessions.hpp"
#include "wire/modern.hpp"

namespace lanyard::server {

using Refused = Unexpected<wire::WireError>;

/// The state of one connection. Not thread-safe.
class Negotiation {
public:
    /// `repeatable` tells whether a second `initialize` is answered like the first.
    Negotiation(ServerCore& core, TimePoint now, bool repeatable);

    /// Decides about a request: whether it may be served now, and for which revision and client.
    Result<void, wire::WireError> admit(rpc::Envelope const& request, TimePoint now);
    /// Whether that is known beforehand: a session under way takes whatever does not speak of the
    /// handshake, and nothing changes.
    bool takes_at_once(rpc::Envelope const& request) const noexcept {
        return pin_.era() == Era::legacy && phases_.phase() == rpc::ServerPhase::ready &&
               request.method != methods::Initialize::info.name &&
               !wire::has_protocol_claim(request.meta);
    }

    // Of the request admitted last.

    Version version() const noexcept { return version_; }
    std::shared_ptr<ClientFacts const> const& client() const noexcept { return client_; }
    std::optional<LoggingLevel> log_level() const noexcept { return log_level_; }

    /// Serves `initialize`. A repeated one replaces the client, the version and the log level; the
    /// phase stays the same.
    Result<InitializeResult, wire::WireError> initialize(rpc::Envelope const& request,
                                                         TimePoint now);
    /// Takes `notifications/initialized`.
    void on_initialized(TimePoint now);
    /// Goes on where a session that has rested stopped.
    void go_on(RestedSession const& rested);
    /// What it can go on from. There must be a session.
    void describe(RestedSession& rested) const;
    /// Takes `logging/setLevel`.
    void set_log_level(LoggingLevel level) noexcept { log_level_ = level; }

    /// Whether requests and notifications may be sent to the client at any time.
    bool has_session() const noexcept;
    /// What the client was told the server offers, which stays so for the session; null where it
    /// was not told, and is therefore asked again and again.
    ServerCapabilities const* declared() const noexcept { return declared_.get(); }

    rpc::PhaseMachine<rpc::ServerPhase>& phases() noexcept { return phases_; }
    rpc::ServerPhase phase() const noexcept { return phases_.phase(); }
    /// When the client has taken too long to open the connection, or never.
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
    std::shared_ptr<ClientFacts const> client_;
    std::optional<LoggingLevel> log_level_;
    std::shared_ptr<ServerCapabilities const> declared_;
    bool discovered_ = false;
    bool repeatable_;
    MetadataReader metadata_;
};

}  // namespace lanyard::server
