#include "server/clients/negotiation.hpp"

#include "lanyard/protocol/methods.hpp"
#include "peer/phase_rules.hpp"
#include "server/call/text_limits.hpp"
#include "wire/modern.hpp"
#include "wire/registry.hpp"

namespace lanyard::server {

using rpc::ServerPhase;

namespace {

// The log level that applies until the client sets one.
std::optional<LoggingLevel> initial_log_level(ServerCapabilities const& declared) {
    return declared.logging ? std::optional(LoggingLevel::info) : std::nullopt;
}

}  // namespace

Negotiation::Negotiation(ServerCore& core, TimePoint now, bool repeatable)
    : core_(core),
      pin_(core.versions()),
      phases_(now, core.options().initialization_timeout()),
      client_(std::make_shared<ClientInfo>()),
      repeatable_(repeatable),
      metadata_(core, 1) {}

bool Negotiation::has_session() const noexcept {
    return pin_.era() == Era::legacy && phases_.phase() != ServerPhase::initialization;
}

TimePoint Negotiation::deadline() const noexcept {
    return discovered_ ? never : phases_.initialization_deadline();
}

wire::WireError Negotiation::refuse(Error const& error, rpc::Envelope const& request) const {
    wire::Details details{.message = error.message(), .extra = error.data()};
    if (error.is(Errc::version_mismatch)) {
        return wire::translate(wire::Condition::unsupported_version, version_, details);
    }
    details.method = request.method;
    auto condition = wire::Condition::invalid_request;
    if (!error.is(Errc::protocol_violation)) {
        condition = wire::condition_of(static_cast<Errc>(error.code().value()));
    }
    return wire::translate(condition, version_, details);
}

Result<void, wire::WireError> Negotiation::admit(rpc::Envelope const& request, TimePoint now) {
    auto const era = pin_.decide(request.method, wire::has_protocol_claim(request.meta));
    if (!era) return Refused(refuse(era.error(), request));
    if (*era == Era::legacy) return admit_by_session(request, now);
    if (!has_session()) return admit_by_metadata(request, now);
    // A modern request in a legacy session comes from a second client on this connection. The error
    // makes that client use the handshake.
    return Refused(
        wire::translate(wire::Condition::method_not_found, version_, {.method = request.method}));
}

Result<void, wire::WireError> Negotiation::admit_by_session(rpc::Envelope const& request,
                                                            TimePoint now) {
    auto const phase = phases_.phase();
    // An earlier modern request, such as a probe, may have set version_ to a modern revision. Until
    // the handshake, legacy requests are served in the newest legacy revision.
    if (phase == ServerPhase::initialization) version_ = newest_legacy_version;
    if (!rpc::takes_request(phase, request.method)) {
        return Refused(refuse(rpc::may_take_request(phase, request.method).error(), request));
    }
    if (phase == ServerPhase::initialization) return {};
    if (request.method == methods::Initialize::info.name) {
        if (repeatable_) return {};
        return Refused(wire::translate(wire::Condition::already_initialized, version_,
                                       {.method = request.method}));
    }
    if (phase == ServerPhase::initialized && request.method != methods::Ping::info.name) {
        phases_.enter(ServerPhase::ready, now, "a request came before notifications/initialized")
            .value();
    }
    return {};
}

Result<void, wire::WireError> Negotiation::admit_by_metadata(rpc::Envelope const& request,
                                                             TimePoint now) {
    version_ = newest_version;
    auto const phase = phases_.phase();
    if (phase == ServerPhase::shutting_down || phase == ServerPhase::closed) {
        return Refused(wire::translate(wire::Condition::shutting_down, version_));
    }
    auto metadata = metadata_.read(request);
    if (!metadata) return Refused(std::move(metadata).error());
    version_ = (*metadata)->version;
    if (client_ != (*metadata)->client) client_ = (*metadata)->client;
    log_level_ = (*metadata)->log_level;
    if (pin_.era() != Era::modern) {
        discovered_ = true;
    } else if (phase == ServerPhase::initialization) {
        enter_ready(now, "every request carries its metadata");
    }
    return {};
}

Result<InitializeResult, wire::WireError> Negotiation::initialize(rpc::Envelope const& request,
                                                                  TimePoint now) {
    auto params = wire::decode_params<InitializeParams>(request.params, newest_legacy_version);
    if (!params) return Refused(wire::translate(params.error(), version_));
    ClientText const text{request.params->find("clientInfo"), request.params->find("capabilities"),
                          "/clientInfo", "/capabilities"};
    if (auto const fault = limit_client(core_, text, params->client_info)) {
        return Refused(wire::translate(*fault, version_));
    }
    auto const negotiated = rpc::answer_initialize(core_.versions(), params->protocol_version);
    if (!negotiated) return Refused(refuse(negotiated.error(), request));
    version_ = negotiated->version;
    if (negotiated->downgrade) {
        core_.log(LoggingLevel::notice, any_client,
                  "the client asked for protocol version " + params->protocol_version +
                      " and is offered " + std::string(to_string(version_)));
    }
    client_ = core_.share({std::move(params->client_info), std::move(params->capabilities)});
    declared_ = core_.shared_capabilities();
    log_level_ = initial_log_level(*declared_);
    InitializeResult result;
    result.protocol_version = std::string(to_string(version_));
    result.capabilities = *declared_;
    result.server_info = core_.identity();
    result.instructions = core_.settings()->instructions;
    if (phases_.phase() == ServerPhase::initialization) {
        phases_.enter(ServerPhase::initialized, now).value();
    }
    return result;
}

std::unique_ptr<SuspendedSession> Negotiation::assume_handshake(ServerCore& core, Version version,
                                                                TimePoint now) {
    auto session = std::make_unique<SuspendedSession>();
    InitializeParams params;
    params.client_info = {.name = "unknown", .version = "0"};
    session->write_client(params);
    session->version = version;
    session->declared = core.shared_capabilities();
    session->log_level = initial_log_level(*session->declared);
    session->initialized_at = now;
    session->ready_at = now;
    return session;
}

void Negotiation::on_initialized(TimePoint now) {
    if (phases_.phase() == ServerPhase::initialized) {
        phases_.enter(ServerPhase::ready, now).value();
    }
}

void Negotiation::go_on(SuspendedSession const& suspended) {
    pin_.decide(methods::Initialize::info.name, false).value();
    version_ = suspended.version;
    auto params = suspended.read_client();
    client_ = core_.share({std::move(params.client_info), std::move(params.capabilities)});
    declared_ = suspended.declared;
    log_level_ = suspended.log_level;
    phases_.enter(ServerPhase::initialized, suspended.initialized_at).value();
    phases_.enter(ServerPhase::ready, suspended.ready_at).value();
}

void Negotiation::describe(SuspendedSession& suspended) const {
    InitializeParams params;
    params.capabilities = client_->capabilities;
    params.client_info = client_->info;
    suspended.write_client(params);
    suspended.version = version_;
    suspended.declared = declared_;
    suspended.log_level = log_level_;
    auto const history = phases_.history();
    suspended.initialized_at = history.at(0).at;
    suspended.ready_at = history.at(1).at;
}

void Negotiation::enter_ready(TimePoint now, std::string_view reason) {
    phases_.enter(ServerPhase::initialized, now, reason).value();
    phases_.enter(ServerPhase::ready, now, reason).value();
}

}  // namespace lanyard::server
