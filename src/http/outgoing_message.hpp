// What a client's carrier has to know about a message to send it over HTTP: whose answer to wait
// for, and what the headers say (basic/transports/streamable-http).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/mirrored_arguments.hpp"

namespace lanyard::http {

struct OutgoingMessage {
    enum class Kind : std::uint8_t {
        request,       ///< one request, or a batch with at least one
        notification,  ///< or a batch of nothing else
        answer,        ///< to a request of the server
    };

    Kind kind = Kind::notification;
    std::string method;             ///< empty for answers and batches
    std::vector<std::int64_t> ids;  ///< the requests that want an answer
    /// The protocol version that the request itself names; empty before 2026-07-28.
    std::string version;
    /// Header lines that mirror the request; empty before 2026-07-28.
    std::string mirrored;
    /// What notifications/cancelled cancels.
    std::optional<std::int64_t> cancels;
    /// Nothing happens twice if the server gets the message twice.
    bool repeatable = false;
};

/// The text is one of this side's own messages.
OutgoingMessage read_outgoing(std::string_view text, MirroredArguments const& tools);

}  // namespace lanyard::http
