// What an MCP endpoint counts, for whoever observes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanyard::http {

struct McpCounters {
    // Now.
    std::size_t sessions = 0;
    std::size_t sessions_resting = 0;  ///< of them, those whose server side is let go
    std::size_t streams = 0;           ///< event streams that somebody reads

    // Since the start.
    std::uint64_t requests_alone = 0;       ///< requests that stand alone
    std::uint64_t requests_in_session = 0;  ///< and those of sessions
    std::uint64_t messages_accepted = 0;    ///< notifications and answers
    std::uint64_t refused = 0;              ///< answered with an error before anything was served
    std::uint64_t sessions_opened = 0;
    std::uint64_t sessions_refused = 0;  ///< for want of room
    std::uint64_t sessions_expired = 0;
    std::uint64_t sessions_evicted = 0;  ///< to make room for another
    std::uint64_t sessions_deleted = 0;  ///< by their clients
    std::uint64_t streams_opened = 0;
    std::uint64_t streams_resumed = 0;
    std::uint64_t resumes_unknown = 0;  ///< of a place that is not known any more
    std::uint64_t events_sent = 0;
    std::uint64_t events_replayed = 0;
    std::uint64_t events_evicted = 0;    ///< to keep the limit of all sessions together
    std::uint64_t messages_dropped = 0;  ///< nobody to hear them, or one who does not read
};

}  // namespace lanyard::http
