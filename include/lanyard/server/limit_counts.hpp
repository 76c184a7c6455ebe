// LimitCounts: the number of times that the limits of a server were reached.
#pragma once

#include <cstdint>

namespace lanyard {

/// The number of times that each limit of a server was reached, since the server was created.
struct LimitCounts {
    /// Connections closed because the client sent no message for longer than the transport allows,
    /// or did not finish a message in time.
    std::uint64_t silent = 0;
    /// Connections closed because the client left too many bytes unread for too long.
    std::uint64_t unread = 0;
    /// Connections closed because the client did not complete the handshake in time.
    std::uint64_t unopened = 0;
    /// Connections closed because the client did not answer a ping of the server in time.
    std::uint64_t unanswered = 0;
    /// Connections closed because the input before the first message was not JSON.
    std::uint64_t noise = 0;

    /// Requests refused because of too many subscriptions, or too many bytes of subscribed URIs.
    std::uint64_t subscriptions = 0;
    /// Requests refused because a URI, a cursor or the client's description was too long.
    std::uint64_t too_long = 0;
    /// Requests refused because of ServerOptions::max_pending_bytes.
    std::uint64_t pending_bytes = 0;
    /// Calls refused because the limit FeatureOptions::max_concurrent was reached.
    std::uint64_t busy_tools = 0;
    /// Calls refused because too many calls were waiting for a worker thread.
    std::uint64_t no_workers = 0;

    /// Notifications of clients that were dropped because too many were waiting for their handlers,
    /// or because too many calls were waiting for a worker thread.
    std::uint64_t dropped_notifications = 0;
    /// Log messages for clients (Context::log, Server::log) that were dropped, because there were
    /// too many in a short time, or because the client left too many bytes unread.
    std::uint64_t dropped_log_messages = 0;

    /// Answers of clients that arrived after their request had ended, for example by a timeout.
    std::uint64_t late_answers = 0;
    /// Answers of clients to requests that the server has not sent or no longer remembers.
    std::uint64_t unknown_answers = 0;
    /// Ended requests that were forgotten early, because ServerOptions::max_tombstones was reached.
    /// Counted when the next answer arrives, or when the connection ends.
    std::uint64_t evicted_requests = 0;
    /// Messages that were refused because they were unreadable, had the id of a pending request, or
    /// exceeded ServerOptions::max_in_flight. Does not count HTTP requests that were refused before
    /// they reached a session.
    std::uint64_t refused_messages = 0;

    /// Log lines that were not written because clients caused too many lines.
    std::uint64_t log_suppressed = 0;
    /// Log lines of the whole process that were lost because stderr did not accept them.
    std::uint64_t log_dropped = 0;
};

}  // namespace lanyard
