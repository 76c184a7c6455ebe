// OutgoingMessage: what a client must know of a message to send it over HTTP: which answers to wait
// for, and which headers to send (MCP specification, basic/transports/streamable-http).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/mirrored_arguments.hpp"
#include "lanyard/rpc/outbox.hpp"

namespace lanyard::http {

struct OutgoingMessage {
    enum class Kind : std::uint8_t {
        request,       ///< one request, or a batch that contains at least one
        notification,  ///< one notification, or a batch of notifications
        answer,        ///< the answer to a request of the server
    };

    Kind kind = Kind::notification;
    /// The method of the message; empty for answers and batches.
    std::string method;
    /// Ids of the requests that need an answer.
    std::vector<std::int64_t> ids;
    /// The protocol version that the message itself contains; empty for protocol revisions before
    /// 2026-07-28.
    std::string version;
    /// Header lines that repeat parts of the body; empty for protocol revisions before 2026-07-28.
    std::string mirrored;
    /// If the message is a notifications/cancelled: the id of the request that it cancels.
    std::optional<std::int64_t> cancels;

    /// Whether the message has the same effect if the server receives it twice.
    bool is_repeatable() const;
};

/// Returns the properties of a message, from its route if possible. The text is parsed only if the
/// route lacks the method or the id (for example because a user of Transport wrote the message), or
/// if arguments of the called tool must be sent as headers.
OutgoingMessage describe_outgoing(std::string_view text, rpc::Route const& route,
                                  MirroredArguments const& tools);
/// Reads the properties of a message from its text.
OutgoingMessage read_outgoing(std::string_view text, MirroredArguments const& tools);

}  // namespace lanyard::http
