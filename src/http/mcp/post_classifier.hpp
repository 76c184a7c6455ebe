// PostClassifier: decides whether a POSTed body belongs to a session or is stateless (MCP
// specification, basic/versioning). If several checks fail, the error table in
// basic/transports/streamable-http decides which error is reported.
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

/// The classification of a body that may be served.
struct Post {
    enum class Way : std::uint8_t {
        stateless,  ///< contains all metadata that the server needs
        session,    ///< belongs to a session, or opens one
    };

    Way way = Way::session;
    bool wants_answer = false;  ///< a request, or a batch that contains at least one
    bool is_answer = false;     ///< the client's answer to a request of the server
    bool handshake = false;     ///< opens a session
    bool batch = false;
};

/// Classifies the bodies that are POSTed to a server.
class PostClassifier {
public:
    /// `versions` are the revisions that the server supports. `stateless` is whether the server can
    /// serve stateless requests; if not, the revisions without sessions are ignored.
    PostClassifier(std::span<Version const> versions, bool stateless) noexcept;

    /// `item` is the parsed body; the messages of a batch are in `reader`. Fails if the body must
    /// be refused, whatever session it belongs to; the error is the response to send.
    Result<Post, wire::WireError> classify(rpc::EnvelopeReader::Item const& item,
                                           rpc::EnvelopeReader const& reader,
                                           Fields const& fields) const;

    /// Returns the revision of a request that belongs to a session: that of its session (`known`),
    /// else the one in the MCP-Protocol-Version header, else 2025-03-26, whose clients send no such
    /// header. Fails if the header names a revision that the server does not serve in sessions.
    Result<Version, wire::WireError> session_version(Fields const& fields,
                                                     std::optional<Version> known) const;

    /// Whether any revision that the server supports has sessions.
    bool has_sessions() const noexcept { return has_sessions_; }
    bool serves_stateless() const noexcept { return serves_stateless_; }

    /// Returns the revision that determines the form of an error: the one in the
    /// MCP-Protocol-Version header, else 2025-03-26, whose clients send no such header.
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
/// The oldest revision in which a stream begins with an event that has an id but no data, so that
/// the client can resume the stream even if it gets nothing else. Older clients may not accept such
/// an event.
inline constexpr Version first_with_priming = Version::v2025_11_25;
/// The only revision with batches.
inline constexpr Version with_batches = Version::v2025_03_26;

}  // namespace lanyard::http
