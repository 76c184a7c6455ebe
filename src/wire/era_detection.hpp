// Detects the era of an incoming message on a server that serves both eras, legacy (with a
// handshake) and modern (without): the body decides, and an HTTP header is only a cross-check (MCP
// specification, basic/versioning).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/message.hpp"

namespace lanyard::wire {

/// The properties of a message that decide its era, as the envelope reader finds them.
struct Opening {
    rpc::MessageKind kind;
    std::string_view method{};
    /// Whether the `_meta` of the message, or of any message of a batch, names a protocol version.
    bool claim = false;
    /// The MCP-Protocol-Version header, if there is one.
    std::optional<std::string_view> header{};
};

enum class EraDetection : std::uint8_t {
    legacy,
    modern,
    /// The header or the connection is modern, but the `_meta` of the request names no protocol
    /// version. The request is refused with error -32602.
    missing_metadata,
    /// A batch that contains a modern message, or any batch on a modern connection. The batch is
    /// refused with error -32600.
    batched_modern,
    /// An initialize request on a connection that is already modern. The request is refused with
    /// error -32022.
    refused_legacy,
};

/// Returns the era of one HTTP request.
EraDetection detect_http(Opening const& opening) noexcept;

/// Detects the era of the messages on one connection (stdio, TCP, WebSocket). The first message
/// that is not a notification decides the era of the whole connection. server/discover is an
/// exception and decides nothing, because the client may still fall back to the legacy era.
class ConnectionEra {
public:
    EraDetection observe(Opening const& opening) noexcept;

    /// The era of the connection, once it is decided.
    std::optional<Era> pinned() const noexcept { return pinned_; }

private:
    std::optional<Era> pinned_;
};

}  // namespace lanyard::wire
