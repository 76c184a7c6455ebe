// Detects the era of an incoming message on a server that serves both eras (MCP specification,
// basic/versioning): the body decides, an HTTP header is only a cross-check.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <lanyard/rpc/message.hpp>

namespace lanyard::wire {

/// The properties of a message that decide its era, as the envelope reader finds them.
struct Opening {
    rpc::MessageKind kind;
    /// Whether the `_meta` of the message, or of any message of a batch, names a protocol version.
    bool claim = false;
    /// The MCP-Protocol-Version header, if there is one.
    std::optional<std::string_view> header{};
};

enum class EraDetection : std::uint8_t {
    legacy,
    modern,
    /// The header is modern, but the `_meta` of the request names no protocol version: -32602.
    missing_metadata,
    /// A batch that contains a modern message: -32600.
    batched_modern,
};

/// Returns the era of one HTTP request.
EraDetection detect_http(Opening const& opening) noexcept;

}  // namespace lanyard::wire
