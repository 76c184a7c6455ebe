// The counters of an MCP endpoint.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanyard::http {

struct McpCounters {
    // Now.
    std::size_t sessions = 0;
    std::size_t sessions_suspended = 0;  ///< number of sessions that are suspended
    std::size_t streams = 0;             ///< event streams that clients are reading

    // Since the start.
    std::uint64_t stateless_requests = 0;   ///< stateless requests
    std::uint64_t requests_in_session = 0;  ///< requests in sessions
    std::uint64_t messages_accepted = 0;    ///< notifications and answers
    std::uint64_t refused = 0;              ///< answered with an error before being served
    std::uint64_t sessions_opened = 0;
    std::uint64_t sessions_refused = 0;  ///< because there were too many sessions
    std::uint64_t sessions_expired = 0;
    std::uint64_t sessions_evicted = 0;  ///< ended to make room for another session
    std::uint64_t sessions_deleted = 0;  ///< by their clients
    std::uint64_t streams_opened = 0;
    std::uint64_t streams_resumed = 0;
    std::uint64_t resumes_unknown = 0;  ///< resumptions with an unknown or dropped event id
    std::uint64_t events_sent = 0;
    std::uint64_t events_replayed = 0;
    std::uint64_t events_evicted = 0;    ///< dropped to keep the limit for all sessions together
    std::uint64_t messages_dropped = 0;  ///< because the client had no stream, or did not read it
};

}  // namespace lanyard::http
