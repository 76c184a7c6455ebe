// PostClassifier: decides whether a POSTed body belongs to a session or is a stateless request (MCP
// specification, basic/versioning; the order of the checks is that of the error table in
// basic/transports/streamable-http).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "http/message/fields.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/protocol/era.hpp"
#include "peer/negotiation.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

/// A body that may be served.
struct Post {
    enum class Way : std::uint8_t {
        alone,    ///< stateless: contains all metadata that the server needs
        session,  ///< belongs to a session, or opens one
    };

    Way way = Way::session;
    bool wants_answer = false;  ///< a request, or a batch that contains at least one
    bool is_answer = false;     ///< the client's answer to a request of the server
    bool handshake = false;     ///< opens a session
    bool batch = false;
};

/// Classifies the bodies that are POSTed to a server of the given revisions.
class PostClassifier {
public:
    /// `stateless`: whether the server can serve stateless requests at all.
    PostClassifier(std::span<Version const> versions, bool alone) noexcept;

    /// `item` is the parsed body; the messages of a batch are in `reader`. Returns an error if the
    /// body must be refused in every state of a session; the error is the response to send.
    Result<Post, wire::WireError> classify(rpc::EnvelopeReader::Item const& item,
                                           rpc::EnvelopeReader const& reader,
                                           Fields const& fields) const;

    /// Returns the revision of a request: that of its session (`known`), else the one in the
    /// header, else the one for clients that send no header. Fails if the server does not serve the
    /// revision in the header.
    Result<Version, wire::WireError> session_version(Fields const& fields,
                                                     std::optional<Version> known) const;

    /// Whether the server serves sessions, and whether it serves stateless requests.
    bool has_sessions() const noexcept { return has_sessions_; }
    bool serves_stateless() const noexcept { return serves_stateless_; }

    /// The revision that determines the form of an error: the one in the header, else the one for
    /// clients that send no header.
    static Version error_version(Fields const& fields) noexcept;

private:
    Result<Post, wire::WireError> classify_stateless(rpc::Envelope const& request, json::View claim,
                                                     Fields const& fields) const;
    Result<Post, wire::WireError> classify_session(Post post, Fields const& fields) const;
    wire::WireError unsupported(std::string_view requested, Version version) const;

    rpc::VersionSet served_;
    bool serves_stateless_;
    bool has_sessions_;
};

/// The newest revision with sessions.
inline constexpr Version newest_with_sessions = newest_legacy_version;
/// The oldest revision whose clients accept an event without data. Each of their streams begins
/// with such an event, which allows them to resume the stream.
inline constexpr Version first_with_priming = Version::v2025_11_25;
/// The only revision with batches.
inline constexpr Version with_batches = Version::v2025_03_26;

}  // namespace lanyard::http
