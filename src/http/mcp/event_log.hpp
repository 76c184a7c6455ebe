// EventLog: keeps the events that were sent on a session's streams, so that a client that has lost
// its connection can get the events that it has missed (MCP specification,
// basic/transports/streamable-http, "Resumability and redelivery", up to 2025-11-25).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lanyard/clock.hpp"

namespace lanyard::http {

/// The number of a stream in its session, counted from 1.
using StreamNumber = std::uint64_t;

/// The id of an event: names a session, one of its streams, and the event's position in that
/// stream. The text is opaque to clients, and the ids of another session cannot be guessed.
class EventId {
public:
    EventId(std::string_view session_tag, StreamNumber stream, std::uint64_t sequence) noexcept;

    std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, 64> text_;
    std::size_t size_;
};

/// Receives the events that EventLog::resume() replays.
class ResumeSink {
public:
    virtual ~ResumeSink() = default;
    /// Called for each event, in the order in which the events were sent.
    virtual void on_event(std::string_view id, std::string_view message) = 0;
    /// Called once, after all events have been replayed. If `finished` is false, the stream
    /// continues.
    virtual void on_resumed(StreamNumber stream, bool finished) = 0;
    /// Called instead of on_event() and on_resumed() if the id does not belong to this session, or
    /// if an event that followed the one with this id was dropped. Nothing is replayed, and the
    /// client gets a new stream.
    virtual void on_unknown() = 0;
};

/// The log of one session, used on the session's executor only.
class EventLog {
public:
    virtual ~EventLog() = default;

    /// Begins a stream.
    virtual StreamNumber open() = 0;
    /// The id of the position before the first event. The server sends this id at the beginning of
    /// a stream, with an event without data, so that the client can resume the stream even if it
    /// has received nothing else.
    virtual EventId first_id(StreamNumber stream) const noexcept = 0;
    /// Records an event that is about to be sent on the stream.
    virtual EventId append(StreamNumber stream, std::string_view message, TimePoint now) = 0;
    /// Must be called when the stream is complete. The stream's events are kept for a while.
    virtual void finish(StreamNumber stream) noexcept = 0;
    /// Replays the events that followed `last_event_id` on its stream, never those of another
    /// stream. The sink may be called before resume() returns, or later.
    virtual void resume(std::string_view last_event_id, ResumeSink& sink) = 0;
    /// Drops events that are too old.
    virtual void expire(TimePoint now) noexcept = 0;
    /// Whether any event is kept.
    virtual bool has_events() const noexcept = 0;
    /// Whether the log keeps no event and has no open stream, so that it can be dropped.
    virtual bool empty() const noexcept = 0;
};

/// Identifies the client that opened a session: its principal or, if the client has no principal,
/// its address.
using EventOwner = std::uint64_t;

/// Creates the logs of sessions. Must be used on the executor of the sessions.
class EventStore {
public:
    virtual ~EventStore() = default;
    virtual std::unique_ptr<EventLog> open_log(std::string_view session_id, EventOwner owner) = 0;
};

struct EventLimits {
    std::size_t max_events = 1000;                          ///< events kept for one session
    std::size_t max_bytes = std::size_t{4} * 1024 * 1024;   ///< bytes kept for one session
    std::size_t max_total = std::size_t{64} * 1024 * 1024;  ///< bytes kept for all sessions
                                                            ///< together
    Duration max_age = std::chrono::minutes(5);
};

class MemoryEventLog;

/// Limits the memory that all logs of a store hold together. If the limit is exceeded, the owner
/// (see EventOwner) that uses the most memory loses events:
/// - the oldest events of its largest session, if that session holds more than a fixed share of the
///   memory;
/// - otherwise the oldest events of all its sessions.
/// So a client that fills the store loses its own events, not those of other clients.
class EventPool {
public:
    explicit EventPool(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}
    EventPool(EventPool const&) = delete;
    EventPool& operator=(EventPool const&) = delete;

    /// Bytes held for all sessions.
    std::size_t bytes() const noexcept { return bytes_; }
    /// The number of events that were dropped because of this limit, since the start.
    std::uint64_t evicted() const noexcept { return evicted_; }

private:
    friend class MemoryEventLog;
    struct Owner {
        EventOwner name = 0;
        std::size_t bytes = 0;
        std::vector<MemoryEventLog*> logs{};
    };

    Owner& join(MemoryEventLog& log, EventOwner name);
    void leave(MemoryEventLog& log, Owner& owner) noexcept;
    void make_room();
    void evict_oldest(Owner& owner, std::size_t down_to);

    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    std::uint64_t evicted_ = 0;
    std::unordered_map<EventOwner, Owner> owners_;
};

/// Keeps events in memory. If a session exceeds a limit, its oldest events are dropped.
class MemoryEventStore final : public EventStore {
public:
    /// Makes the first part of the event ids of a session. It must be different for each session,
    /// and impossible to guess.
    using MakeTag = std::function<std::string()>;

    explicit MemoryEventStore(EventLimits const& limits = {}, MakeTag make_tag = random_tag);

    std::unique_ptr<EventLog> open_log(std::string_view session_id, EventOwner owner = 0) override;
    EventPool const& pool() const noexcept { return *pool_; }
    /// Bytes held for all sessions.
    std::size_t bytes() const noexcept { return pool_->bytes(); }

private:
    static std::string random_tag();

    EventLimits limits_;
    MakeTag make_tag_;
    std::shared_ptr<EventPool> pool_;
};

/// The log of one session, in memory.
class MemoryEventLog final : public EventLog {
public:
    /// `session_tag` is made by MemoryEventStore::MakeTag.
    MemoryEventLog(std::string session_tag, EventLimits const& limits,
                   std::shared_ptr<EventPool> pool, EventOwner owner = 0);
    ~MemoryEventLog() override;
    MemoryEventLog(MemoryEventLog const&) = delete;
    MemoryEventLog& operator=(MemoryEventLog const&) = delete;

    StreamNumber open() override;
    EventId first_id(StreamNumber stream) const noexcept override;
    EventId append(StreamNumber stream, std::string_view message, TimePoint now) override;
    void finish(StreamNumber stream) noexcept override;
    void resume(std::string_view last_event_id, ResumeSink& sink) override;
    void expire(TimePoint now) noexcept override;
    bool has_events() const noexcept override { return !events_.empty(); }
    bool empty() const noexcept override { return streams_.empty(); }

    std::size_t events() const noexcept { return events_.size(); }
    std::size_t streams() const noexcept { return streams_.size(); }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    friend class EventPool;
    struct Event {
        StreamNumber stream;
        std::uint64_t sequence;
        TimePoint at;
        std::string message;
    };
    struct Stream {
        std::uint64_t last = 0;     // sequence number of the last event recorded
        std::uint64_t dropped = 0;  // sequence number of the last event dropped
        bool finished = false;
    };
    struct Place {
        StreamNumber stream;
        std::uint64_t sequence;
    };

    std::optional<Place> find(std::string_view id) const noexcept;
    void drop_oldest() noexcept;
    static std::size_t cost(Event const& event) noexcept;

    std::string tag_;
    EventLimits limits_;
    std::shared_ptr<EventPool> pool_;
    EventPool::Owner& owner_;
    std::deque<Event> events_;  // events of all streams, oldest first
    std::map<StreamNumber, Stream> streams_;
    StreamNumber last_stream_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace lanyard::http
