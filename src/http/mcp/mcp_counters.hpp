// The counters of an MCP endpoint.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanyard::http {

struct McpCounters {
    // Current numbers.
    std::size_t sessions = 0;
    std::size_t sessions_suspended = 0;  ///< how many of the sessions are suspended
    std::size_t streams = 0;             ///< event streams to which clients are connected

    // Numbers since the start.
    std::uint64_t stateless_requests = 0;
    std::uint64_t requests_in_session = 0;  ///< requests that belong to a session
    std::uint64_t messages_accepted = 0;    ///< notifications and answers from clients
    std::uint64_t refused = 0;              ///< messages and requests that were refused before the
                                            ///< server got them
    std::uint64_t sessions_opened = 0;
    std::uint64_t sessions_refused = 0;  ///< refused because there were too many sessions
    std::uint64_t sessions_expired = 0;
    std::uint64_t sessions_evicted = 0;  ///< ended to make room for another session
    std::uint64_t sessions_deleted = 0;  ///< ended by their clients
    std::uint64_t streams_opened = 0;
    std::uint64_t streams_resumed = 0;
    std::uint64_t resumes_unknown = 0;  ///< resumptions with an unknown or dropped event id
    std::uint64_t events_sent = 0;
    std::uint64_t events_replayed = 0;
    std::uint64_t events_evicted = 0;    ///< dropped because the events of all sessions used too
                                         ///< much memory
    std::uint64_t messages_dropped = 0;  ///< dropped because the client had no stream, or read too
                                         ///< slowly
};

}  // namespace lanyard::http
