// Negotiates the protocol version of a connection, and thereby its era: legacy (with a handshake)
// or modern (without) (MCP specification, basic/lifecycle "Version negotiation" of the legacy
// revisions, "Versioning" of the modern one).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/result.hpp"

namespace lanyard::rpc {

/// A set of protocol versions.
class VersionSet {
public:
    constexpr VersionSet() noexcept = default;
    constexpr explicit VersionSet(std::span<Version const> versions) noexcept {
        for (auto version : versions) add(version);
    }
    static constexpr VersionSet all() noexcept { return VersionSet(all_versions); }

    constexpr void add(Version version) noexcept {
        bits_ = static_cast<std::uint8_t>(bits_ | bit(version));
    }
    constexpr bool contains(Version version) const noexcept { return (bits_ & bit(version)) != 0; }
    /// Returns the newest version in the set that belongs to the era; nullopt if there is none.
    constexpr std::optional<Version> newest(Era era) const noexcept {
        for (auto i = all_versions.size(); i-- > 0;) {
            if (contains(all_versions[i]) && era_of(all_versions[i]) == era) return all_versions[i];
        }
        return std::nullopt;
    }
    /// Newest first.
    std::vector<Version> list() const;
    bool operator==(VersionSet const&) const = default;

private:
    static constexpr unsigned bit(Version version) noexcept {
        return 1U << static_cast<unsigned>(version);
    }
    std::uint8_t bits_ = 0;
};

/// The protocol versions that the user has configured for this client or server.
struct VersionOptions {
    VersionSet offered = VersionSet::all();
    std::optional<Version> preferred;  ///< One of `offered`. If not set: the newest one.
};

/// Returns the version that a client proposes in `initialize`; nullopt if the client offers no
/// legacy version.
std::optional<Version> version_to_propose(VersionOptions const& options) noexcept;

struct Negotiated {
    Version version;
    /// Whether the server chose a different version from the one that the client requested.
    bool counter_offer;
    /// Whether the chosen version is older than the requested one. A downgrade loses features, so
    /// the caller should log it.
    bool downgrade;
    bool operator==(Negotiated const&) const = default;
};

/// Returns the version that a server chooses for an `initialize` that asks for `requested`: that
/// version if the server supports it, otherwise the newest legacy version that the server supports.
/// Fails with version_mismatch only if the server supports no legacy version at all.
Result<Negotiated> answer_initialize(VersionSet supported, std::string_view requested);

/// Checks the version in the `initialize` result that a client has received: it must be a legacy
/// version that the client offers. Otherwise fails with version_mismatch, and the client must
/// disconnect.
Result<Negotiated> accept_initialize(VersionSet offered, Version proposed,
                                     std::string_view answered);

/// Checks that a server supports the version that a modern request names. Otherwise fails with
/// version_mismatch, whose data is that of an UnsupportedProtocolVersion error.
Result<Version> check_requested_version(VersionSet supported, std::string_view requested);

/// Returns the newest version that the client offers and the server supports; modern versions are
/// newer than legacy ones. `supported` is the server's list: either `supportedVersions` of a
/// discovery result, or `supported` of an UnsupportedProtocolVersion error. Fails with
/// version_mismatch if there is no such version.
Result<Version> choose_version(VersionSet offered, std::span<std::string const> supported);

/// Returns {"supported":["2026-07-28"],"requested":"..."}: the data of an
/// UnsupportedProtocolVersion error and of the version_mismatch errors above.
std::string version_mismatch_data(std::span<Version const> supported, std::string_view requested);

/// The parts of the reply to a probe that decide the era. The probe is the client's first
/// `server/discover`.
struct ProbeReply {
    enum class Kind : std::uint8_t {
        discovered,  ///< A valid discovery result.
        error,       ///< A JSON-RPC error, with `code`.
        refused,     ///< HTTP only: an error status without a JSON-RPC error in its body.
        silence,     ///< No answer came in time, or the connection or the child process ended.
    };
    Kind kind;
    std::int64_t code = 0;
    int http_status = 0;
};

enum class ProbeResult : std::uint8_t {
    modern,
    modern_other_version,  ///< Choose a version from the error's list and probe once more.
    legacy,                ///< Open with `initialize`.
    authorize,             ///< Get credentials, then probe again.
    failed,                ///< The reply does not reveal the era: report the failure.
};

/// Evaluates the reply to a probe on a duplex connection, such as stdio.
ProbeResult judge_duplex_probe(ProbeReply const& reply) noexcept;
/// Evaluates the reply to a probe over HTTP.
ProbeResult judge_http_probe(ProbeReply const& reply) noexcept;

/// The era of a duplex connection on the server's side. The first request decides the era
/// permanently. A `server/discover` that names its version is an exception and decides nothing,
/// because the client may still fall back to `initialize`. Not thread-safe.
class EraPin {
public:
    explicit EraPin(VersionSet supported) noexcept;

    /// Returns the era of a request. `claims_version`: whether the request's `_meta` names a
    /// protocol version, as in every modern request. Fails if the request does not belong to the
    /// connection's era.
    Result<Era> decide(std::string_view method, bool claims_version);

    std::optional<Era> era() const noexcept { return era_; }

private:
    VersionSet supported_;
    bool serves_modern_;
    std::optional<Era> era_;
};

}  // namespace lanyard::rpc
