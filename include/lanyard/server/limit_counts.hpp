// LimitCounts: how often the limits of a server were reached.
#pragma once

#include <cstdint>

namespace lanyard {

/// How often clients have reached a limit of the server since it was created.
struct LimitCounts {
    // Connections that were closed.
    std::uint64_t silent = 0;      ///< no message for longer than the transport allows
    std::uint64_t unread = 0;      ///< the client left too much unread for too long
    std::uint64_t unopened = 0;    ///< no handshake in time
    std::uint64_t unanswered = 0;  ///< a ping of the server was not answered in time
    std::uint64_t noise = 0;       ///< the input before the first message was not JSON

    // Requests that were refused.
    std::uint64_t subscriptions = 0;  ///< too many subscriptions, or their URIs are too long
    std::uint64_t too_long = 0;       ///< a URI or the client's own description is too long
    std::uint64_t busy_tools = 0;     ///< more concurrent calls of a tool than its options allow
    std::uint64_t no_workers = 0;     ///< too many calls are waiting for a worker

    // Log lines that were not written.
    std::uint64_t log_suppressed = 0;  ///< a client has caused too many lines
    std::uint64_t log_dropped = 0;     ///< stderr did not accept a line; of the whole process
};

}  // namespace lanyard
