// SessionState: the properties of an HTTP session that its streams use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "http/mcp/event_log.hpp"
#include "http/mcp/post_classifier.hpp"
#include "http/mcp/session_id.hpp"
#include "http/mcp/session_shared.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/protocol/era.hpp"

namespace lanyard::http {

enum class SessionKind : std::uint8_t {
    stateful,   ///< has an id that the client sends with each request
    stateless,  ///< has no id that a client could send: serves one request at a time, from any
                ///< client
    sse,        ///< a session of HTTP+SSE (2024-11-05): the server sends all messages on one
                ///< stream
};

/// HttpSession owns this object and changes it. The session's streams read it, open the log when
/// they need it, and record when the session was last used.
struct SessionState {
    SessionState(std::shared_ptr<SessionShared> all, std::string_view text, SessionKind of,
                 EventOwner client)
        : shared(std::move(all)),
          id(text),
          kind(of),
          owner(client),
          last_used(shared->time.now()) {}

    void touch() noexcept { last_used = shared->time.now(); }
    /// Whether each stream begins with an event that has an id and no data, so that the client can
    /// resume the stream even if it has received nothing else.
    bool primes() const noexcept {
        return kind == SessionKind::stateful && version && *version >= first_with_priming;
    }
    /// The revision in which errors of this session are written.
    Version error_version() const noexcept { return version.value_or(newest_with_sessions); }
    /// Returns the log. Opens it if necessary.
    EventLog& open_log() {
        if (!log) log = shared->events.open_log(id.view(), owner);
        return *log;
    }

    std::shared_ptr<SessionShared> shared;
    SessionId id;
    SessionKind kind;
    bool refused = false;            ///< the server refused the handshake
    std::optional<Version> version;  ///< agreed in the handshake; nullopt before the handshake
    std::unique_ptr<EventLog> log;   ///< null while not needed
    EventOwner owner;  ///< the client to which the memory of the session's events is charged
    TimePoint last_used;
};

}  // namespace lanyard::http
