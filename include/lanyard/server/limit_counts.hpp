// LimitCounts: the number of times that the limits of a server were reached.
#pragma once

#include <cstdint>

namespace lanyard {

/// The number of times that each limit of a server was reached, since the server was created.
struct LimitCounts {
    // Connections that were closed.
    std::uint64_t silent = 0;      ///< closed: no message for longer than the transport allows
    std::uint64_t unread = 0;      ///< closed: the client left too much unread for too long
    std::uint64_t unopened = 0;    ///< closed: no handshake in time
    std::uint64_t unanswered = 0;  ///< closed: a ping of the server was not answered in time
    std::uint64_t noise = 0;       ///< closed: the input before the first message was not JSON

    // Requests that were refused.
    std::uint64_t subscriptions = 0;  ///< refused: too many subscriptions, or their URIs too long
    std::uint64_t too_long = 0;       ///< refused: a URI or the client's description too long
    std::uint64_t busy_tools = 0;     ///< refused: more than max_concurrent calls of a feature
    std::uint64_t no_workers = 0;     ///< refused: too many calls are waiting for a worker thread

    // Log lines that were not written.
    std::uint64_t log_suppressed = 0;  ///< left out, because clients caused too many lines
    std::uint64_t log_dropped = 0;     ///< not accepted by stderr; counts the whole process
};

}  // namespace lanyard
