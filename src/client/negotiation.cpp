// Opens a connection: probes the server with server/discover and falls back to the initialize
// handshake (MCP specification, basic/versioning "Clients", basic/lifecycle "Initialization").
#include "client/negotiation.hpp"

#include "client/awaited_request.hpp"
#include "client/client_session.hpp"
#include "lanyard/protocol/error_data.hpp"
#include "lanyard/protocol/methods.hpp"
#include "wire/errors.hpp"
#include "wire/modern.hpp"

namespace lanyard::client {

namespace {

constexpr std::chrono::hours known_server_lifetime(24);

// Returns the version to probe with; empty if the client starts with the handshake.
std::optional<Version> version_to_probe(rpc::VersionOptions const& versions,
                                        std::optional<KnownServer> const& known,
                                        Clock const& clock) {
    bool const holds = known && clock.wall() - known->decided < known_server_lifetime &&
                       versions.offered.contains(known->version);
    if (holds && era_of(known->version) == Era::legacy) return std::nullopt;
    if (versions.preferred && era_of(*versions.preferred) == Era::legacy) return std::nullopt;
    return versions.offered.newest(Era::modern);
}

template <class M>
class OpeningReader final : public ResultReader {
public:
    Result<void> read(json::View view, Version version) override {
        auto decoded = wire::decode_result<typename M::Result>(view, version);
        if (!decoded) {
            return Unexpected(
                Error(Errc::protocol_violation, "the server answered " + std::string(M::info.name) +
                                                    " wrongly: " + decoded.error().to_string()));
        }
        result = *std::move(decoded);
        server_info = wire::read_server_info(view);
        return {};
    }

    typename M::Result result;
    std::optional<Implementation> server_info;
};

class ClientNegotiation {
public:
    ClientNegotiation(std::shared_ptr<ClientSession> session, rpc::VersionOptions const& versions)
        : session_(std::move(session)), versions_(versions) {}

    /// Completes when the session can be used. Throws Error if the negotiation fails.
    Task<> run() {
        auto const modern = version_to_probe(versions_, session_->keeper().known_server(),
                                             session_->options().time());
        if (modern) {
            if (co_await discover(*modern)) co_return;
        }
        bool const no_reply = modern && reply_.kind == rpc::ProbeReply::Kind::silence;
        if (co_await shake_hands(no_reply)) co_return;
        if (!co_await discover(*modern)) throw *failure_;
    }

private:
    /// Returns true if the server supports a modern version, false if the handshake is to be tried.
    Task<bool> discover(Version version) {
        for (int attempt = 1;; ++attempt) {
            session_->set_version(version);
            co_await probe();
            auto const outcome = judge();
            if (outcome == rpc::ProbeResult::legacy) {
                if (versions_.offered.newest(Era::legacy)) co_return false;
                throw not_spoken(version);
            }
            if (is_final(outcome)) throw *failure_;
            bool const refused = outcome == rpc::ProbeResult::modern_other_version;
            auto const chosen = rpc::choose_version(
                versions_.offered, refused ? refused_with() : reader_.result.supported_versions);
            if (!chosen) throw chosen.error();
            if (era_of(*chosen) == Era::legacy) co_return false;
            if (!refused) {
                accept(*chosen);
                co_return true;
            }
            if (attempt == 2) throw *failure_;
            version = *chosen;
        }
    }

    /// Sends server/discover and stores the reply.
    Task<> probe() {
        // Over HTTP, the longer timeout applies. A missing answer is then a failure and does not
        // indicate an older server.
        auto const& limits = session_->options();
        CallOptions options;
        options.timeout(speaks_http() ? limits.initialization_timeout() : limits.probe_timeout());
        auto params = wire::params_text(methods::Discover::Params(), session_->requests().stamp());
        Outgoing outgoing(methods::Discover::info.name, std::move(params), options);
        outgoing.opens = true;
        reply_ = {rpc::ProbeReply::Kind::discovered};
        try {
            auto exchanging = await_result(session_, std::move(outgoing), reader_);
            co_await std::move(exchanging);
        } catch (Error const& error) {
            if (error.is(Errc::cancelled) || error.is(Errc::shutdown)) throw;
            failure_ = error;
            reply_ = speaks_http() ? http_reply(error) : duplex_reply(error);
        }
    }

    bool speaks_http() const { return session_->connection().speaks_http(); }

    rpc::ProbeResult judge() const {
        return speaks_http() ? rpc::judge_http_probe(reply_) : rpc::judge_duplex_probe(reply_);
    }

    // Whether the failure of the probe is final, because the handshake would fail in the same way.
    bool is_final(rpc::ProbeResult outcome) const {
        using Kind = rpc::ProbeReply::Kind;
        return outcome == rpc::ProbeResult::authorize || outcome == rpc::ProbeResult::failed ||
               (outcome == rpc::ProbeResult::modern && reply_.kind != Kind::discovered);
    }

    /// Returns the error for a server that supports none of the offered versions. If the server has
    /// not answered, its versions are unknown and the original failure is returned.
    Error not_spoken(Version version) const {
        if (reply_.kind == rpc::ProbeReply::Kind::silence) return *failure_;
        // The error may also mean that the client is not authorized: a server on a socket refuses
        // such clients with an error of the same kind. The error's data distinguishes the two
        // cases.
        json::Document document;
        auto const data_of_peer = document.parse(failure_->data());
        auto const reason = data_of_peer ? data_of_peer->find("reason") : std::nullopt;
        if (reason && reason->equals(wire::row(wire::Condition::unauthorized).name)) {
            return {Errc::unauthorized, failure_->message()};
        }
        std::string message = "the server does not support protocol version ";
        message.append(to_string(version)).append(": ").append(failure_->message());
        auto data = rpc::version_mismatch_data(versions_.offered.list(), to_string(version));
        return {Errc::version_mismatch, std::move(message), std::move(data)};
    }

    static rpc::ProbeReply duplex_reply(Error const& error) {
        bool const answered = error.peer_code().has_value() || error.is(Errc::protocol_violation);
        return {answered ? rpc::ProbeReply::Kind::error : rpc::ProbeReply::Kind::silence,
                error.peer_code().value_or(0)};
    }

    // Describes how an HTTP server replied to the probe. The HTTP status is not available here, so
    // it is derived from the code of the transport's error.
    static rpc::ProbeReply http_reply(Error const& error) {
        using Kind = rpc::ProbeReply::Kind;
        constexpr int bad_request = 400;
        constexpr int unauthorized = 401;
        if (auto const code = error.peer_code()) return {Kind::error, *code, bad_request};
        if (error.is(Errc::unauthorized)) return {Kind::refused, 0, unauthorized};
        bool const refused = error.is(Errc::failed) || error.is(Errc::protocol_violation);
        return {refused ? Kind::refused : Kind::silence, 0, refused ? bad_request : 0};
    }

    /// The versions that an UnsupportedProtocolVersion error lists.
    std::vector<std::string> refused_with() const {
        json::Document document;
        auto const data = document.parse(failure_->data());
        if (!data) return {};
        auto named = wire::decode_error_data<UnsupportedProtocolVersion>(*data, newest_version);
        return named ? std::move(named->supported) : std::vector<std::string>();
    }

    void accept(Version version) {
        session_->set_version(version);
        ServerInfo info;
        info.version = version;
        info.info = reader_.server_info.value_or(Implementation());
        info.capabilities = std::move(reader_.result.capabilities);
        info.instructions = std::move(reader_.result.instructions);
        session_->connection().enter(rpc::ClientPhase::initializing, "discovered");
        session_->connection().enter(rpc::ClientPhase::initialized);
        session_->become_ready(std::move(info));
    }

    /// Performs the handshake. `no_reply`: whether the probe got no answer. Returns true if the
    /// handshake is complete. Returns false if the caller should probe again: the probe got no
    /// answer, and now the server rejects the handshake with an unsupported-version error. The
    /// server is then a modern one that was slow to start.
    Task<bool> shake_hands(bool no_reply) {
        auto const proposed = rpc::version_to_propose(versions_);
        if (!proposed) throw *failure_;
        // Reopens a closed connection: some servers exit if the first message is not the handshake.
        if (!session_->connection().is_open()) {
            co_await session_->keeper().reopen(
                "the server ended when it was asked for its version");
        }
        session_->set_version(*proposed);
        session_->connection().enter(rpc::ClientPhase::initializing);
        InitializeParams params;
        params.protocol_version = to_string(*proposed);
        params.capabilities = session_->questions().capabilities();
        params.client_info = session_->options().info();
        CallOptions options;
        options.timeout(session_->options().initialization_timeout());
        Outgoing outgoing(methods::Initialize::info.name,
                          wire::params_text(params, session_->requests().stamp()), options);
        outgoing.opens = true;
        OpeningReader<methods::Initialize> reader;
        auto exchanging = await_result(session_, std::move(outgoing), reader);
        try {
            co_await std::move(exchanging);
        } catch (Error const& error) {
            if (!no_reply || error.peer_code() != wire::code::unsupported_version) throw;
            session_->connection().enter(rpc::ClientPhase::error, error.message());
            session_->connection().enter(rpc::ClientPhase::pre_initialization);
            co_return false;
        }
        confirm(*proposed, reader.result);
        co_return true;
    }

    void confirm(Version proposed, InitializeResult& result) {
        auto const negotiated =
            rpc::accept_initialize(versions_.offered, proposed, result.protocol_version).value();
        session_->set_version(negotiated.version);
        if (negotiated.downgrade) {
            session_->reports().diagnose("the server uses the older version " +
                                         result.protocol_version);
        }
        ServerInfo info;
        info.version = negotiated.version;
        info.info = std::move(result.server_info);
        info.capabilities = std::move(result.capabilities);
        info.instructions = std::move(result.instructions);
        session_->connection().notify(methods::Initialized::info.name, "");
        session_->connection().enter(rpc::ClientPhase::initialized);
        session_->become_ready(std::move(info));
    }

    std::shared_ptr<ClientSession> session_;
    rpc::VersionOptions versions_;
    rpc::ProbeReply reply_{};
    OpeningReader<methods::Discover> reader_;
    std::optional<Error> failure_;
};

}  // namespace

rpc::VersionOptions version_options(ClientOptions const& options) {
    rpc::VersionOptions versions;
    versions.offered = rpc::VersionSet(options.versions());
    versions.preferred = options.preferred_version();
    if (options.versions().empty()) {
        throw Error(Errc::invalid_argument, "the client offers no protocol version");
    }
    if (versions.preferred && !versions.offered.contains(*versions.preferred)) {
        throw Error(Errc::invalid_argument, "the preferred version is not among those offered");
    }
    return versions;
}

Task<> negotiate(std::shared_ptr<ClientSession> session, rpc::VersionOptions versions) {
    ClientNegotiation negotiation(std::move(session), versions);
    co_await negotiation.run();
}

}  // namespace lanyard::client
