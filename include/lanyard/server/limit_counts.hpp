// LimitCounts: how often the limits of a server were met.
#pragma once

#include <cstdint>

namespace lanyard {

/// How often clients have met a limit of the server, since the start.
struct LimitCounts {
    // Connections that were cut off.
    std::uint64_t silent = 0;      ///< nothing was heard for longer than the carrier allows
    std::uint64_t unread = 0;      ///< too much was left unread for too long
    std::uint64_t unopened = 0;    ///< no handshake in time
    std::uint64_t unanswered = 0;  ///< a ping of the server was not answered in time
    std::uint64_t noise = 0;       ///< what came before the first message was not JSON

    // Requests that were refused.
    std::uint64_t subscriptions = 0;  ///< too many of one client, or with too many bytes
    std::uint64_t too_long = 0;       ///< a URI or what a client says about itself is too long
    std::uint64_t busy_tools = 0;     ///< more calls of a tool at a time than it allows
    std::uint64_t no_workers = 0;     ///< too many calls wait for a worker

    // Log lines that were not written.
    std::uint64_t log_suppressed = 0;  ///< a client has caused too many of them
    std::uint64_t log_dropped = 0;     ///< stderr did not take them (of the whole process)
};

}  // namespace lanyard
