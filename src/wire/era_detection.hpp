// Detects the era of an incoming message on a server that serves both eras (MCP specification,
// basic/versioning): the body decides, an HTTP header is only a cross-check.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <lanyard/protocol/era.hpp>
#include <lanyard/rpc/message.hpp>

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
    missing_metadata,  ///< the header is modern, but the request lacks `_meta`: -32602
    batched_modern,    ///< a batch that contains a modern message: -32600
    refused_legacy,    ///< an initialize request on a connection that is already modern: -32022
};

/// Returns the era of one HTTP request.
EraDetection detect_http(Opening const& opening) noexcept;

/// Detects the era of the messages on one connection (stdio, TCP, WebSocket). The first message
/// decides the era of the whole connection. server/discover is an exception: after it a client may
/// still fall back.
class ConnectionEra {
public:
    EraDetection observe(Opening const& opening) noexcept;

    /// The era of the connection, once it is decided.
    std::optional<Era> pinned() const noexcept { return pinned_; }

private:
    std::optional<Era> pinned_;
};

}  // namespace lanyard::wire
