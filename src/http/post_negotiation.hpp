// What a POSTed body is and which way it is served: by the session it belongs to, or as a request
// that stands alone (basic/versioning; the order of the checks is that of the error table in
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
        alone,    ///< says everything a server needs to know
        session,  ///< belongs to a session, or opens one
    };

    Way way = Way::session;
    bool wants_answer = false;  ///< a request, or a batch with one
    bool is_answer = false;     ///< the client's, to a request of the server
    bool handshake = false;     ///< opens a session
    bool batch = false;
};

/// Judges bodies for a server of these revisions.
class PostJudge {
public:
    /// `alone` says whether requests that stand alone can be served at all.
    PostJudge(std::span<Version const> versions, bool alone) noexcept;

    /// What has been read from a body, with the messages of a batch in the reader. An error says
    /// what to answer, without having looked at the state of any session.
    Result<Post, wire::WireError> judge(rpc::EnvelopeReader::Item const& item,
                                        rpc::EnvelopeReader const& reader,
                                        Fields const& fields) const;

    /// The revision of a request in a session, or for none (known is not set): what the header
    /// says, where it says something that is served. Without one an old client is assumed.
    Result<Version, wire::WireError> session_version(Fields const& fields,
                                                     std::optional<Version> known) const;

    /// Whether there are sessions at all, and requests that stand alone.
    bool has_sessions() const noexcept { return has_sessions_; }
    bool serves_alone() const noexcept { return serves_alone_; }

    /// The revision whose rules an error follows when nothing better is known.
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
/// The oldest revision whose clients take an event without data, which begins each of their streams
/// and lets them resume it.
inline constexpr Version first_with_priming = Version::v2025_11_25;
/// The only one with batches.
inline constexpr Version with_batches = Version::v2025_03_26;

}  // namespace lanyard::http
