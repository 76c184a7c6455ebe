// Which era an incoming message belongs to on a server that serves both (basic/versioning): the
// body decides, an HTTP header is only a cross-check.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <lanyard/protocol/era.hpp>
#include <lanyard/rpc/message.hpp>

namespace lanyard::wire {

/// What decides, as the envelope reader finds it.
struct Opening {
    rpc::MessageKind kind;
    std::string_view method{};
    /// `_meta` names a protocol version; of a batch, any of its messages does.
    bool claim = false;
    /// The MCP-Protocol-Version header, where there is one.
    std::optional<std::string_view> header{};
};

enum class EraVerdict : std::uint8_t {
    legacy,
    modern,
    missing_metadata,  ///< modern by its header, but the request lacks `_meta`: -32602
    batched_modern,    ///< a batch with a modern message: -32600
    refused_legacy,    ///< the handshake on a connection that is already modern: -32022
};

/// The era of one HTTP request.
EraVerdict detect_http(Opening const& opening) noexcept;

/// The era of messages on one connection (stdio, TCP, WebSocket). The first message decides for the
/// connection, except that server/discover leaves a client free to fall back.
class ConnectionEra {
public:
    EraVerdict observe(Opening const& opening) noexcept;

    /// The era of the connection, once it is decided.
    std::optional<Era> pinned() const noexcept { return pinned_; }

private:
    std::optional<Era> pinned_;
};

}  // namespace lanyard::wire
