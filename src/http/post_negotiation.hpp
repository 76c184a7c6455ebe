// PostJudge: decides whether a POSTed body belongs to a session or is a stateless request
// (basic/versioning; the order of the checks is that of the error table in
// basic/transports/streamable-http).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "http/fields.hpp"
#include "lanyard/protocol/era.hpp"
#include "rpc/envelope.hpp"
#include "rpc/negotiation.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

/// A body that may be served.
struct Post {
    enum class Way : std::uint8_t {
        alone,    ///< stateless: contains all metadata that the server needs
        session,  ///< belongs to a session, or opens one
    };

    Way way = Way::session;
    bool wants_answer = false;  ///< a request, or a batch with one
    bool is_answer = false;     ///< the client's answer to a request of the server
    bool handshake = false;     ///< opens a session
    bool batch = false;
};

/// Classifies bodies for a server of these revisions.
class PostJudge {
public:
    /// `alone`: whether stateless requests can be served at all.
    PostJudge(std::span<Version const> versions, bool alone) noexcept;

    /// `item` is the parsed body; the messages of a batch are in `reader`. An error is the response
    /// to send, which does not depend on the state of any session.
    Result<Post, wire::WireError> judge(rpc::EnvelopeReader::Item const& item,
                                        rpc::EnvelopeReader const& reader,
                                        Fields const& fields) const;

    /// Returns the revision of a request: that of its session (`known`), else the one in the
    /// header, else that of an old client. Fails if the header names a revision that is not served.
    Result<Version, wire::WireError> session_version(Fields const& fields,
                                                     std::optional<Version> known) const;

    /// Whether sessions are served at all, and whether stateless requests are.
    bool has_sessions() const noexcept { return has_sessions_; }
    bool serves_alone() const noexcept { return serves_alone_; }

    /// The revision whose rules an error follows: the one in the header, else that of an old
    /// client.
    static Version error_version(Fields const& fields) noexcept;

private:
    Result<Post, wire::WireError> judge_alone(rpc::Envelope const& request, json::View claim,
                                              Fields const& fields) const;
    Result<Post, wire::WireError> judge_session(Post post, Fields const& fields) const;
    wire::WireError unsupported(std::string_view requested, Version version) const;

    rpc::VersionSet served_;
    bool serves_alone_;
    bool has_sessions_;
};

/// The newest revision with sessions.
inline constexpr Version newest_with_sessions = newest_legacy_version;
/// The oldest revision whose clients accept an event without data. Such an event begins each of
/// their streams and allows them to resume it.
inline constexpr Version first_with_priming = Version::v2025_11_25;
/// The only revision with batches.
inline constexpr Version with_batches = Version::v2025_03_26;

}  // namespace lanyard::http
