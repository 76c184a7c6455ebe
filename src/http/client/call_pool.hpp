// CallPool: decides which connection carries which call. It does no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "http/client/client_machine.hpp"

namespace lanyard::http {

using LinkId = std::uint64_t;

struct CallPoolLimits {
    std::size_t calls = 10;    ///< maximum number of requests under way whose response is not a
                               ///< stream
    std::size_t messages = 4;  ///< maximum number of notifications and answers under way
    std::size_t queued = 1'000;
    std::size_t idle = 10;  ///< maximum number of idle connections that are kept for later calls
};

/// Limits the number of calls under way: each call takes a slot, and holds the slot until its
/// response has ended. If the response to a request turns out to be a stream, the slot is freed at
/// once, because a stream may stay open indefinitely and must not block other calls. Notifications
/// and answers have their own slots, because the server may need one of them before it can respond
/// to a request.
/// Not thread-safe.
class CallPool {
public:
    explicit CallPool(CallPoolLimits const& limits = {}) noexcept : limits_(limits) {}

    /// Adds a call to the queue. The call must not be in the pool already. If `fresh` is set, the
    /// call gets a new connection. Returns false if the call carries a request (SlotKind::call) and
    /// the queue is full.
    bool submit(CallId call, SlotKind lane, bool fresh);

    struct Assignment {
        CallId call;
        LinkId link;
        bool open;  ///< the connection has to be opened first
    };
    /// Returns the next call that can be made, with its connection, and removes the call from the
    /// queue; nullopt if no call can be made now.
    std::optional<Assignment> next();

    /// Must be called when the response to this call turns out to be a stream. Frees the call's
    /// slot.
    void on_stream(CallId call);
    /// Must be called when the call on this connection has ended and the connection can carry
    /// another call. Returns false if there are enough idle connections already. In this case the
    /// connection is removed from the pool, and the caller must close it.
    bool on_free(LinkId link);
    /// Must be called when the connection was closed. Removes the connection and the call that it
    /// carried.
    void on_gone(LinkId link);
    /// Cancels a call, in constant time. If a connection carries the call, removes the connection
    /// from the pool and returns its id; the caller must close it.
    std::optional<LinkId> withdraw(CallId call);

    std::size_t queued() const noexcept { return places_.size(); }
    std::size_t links() const noexcept { return links_.size(); }

private:
    struct Waiting {
        CallId call;
        bool fresh;
    };
    using Queue = std::list<Waiting>;
    struct Place {
        SlotKind lane;
        Queue::iterator at;
    };
    struct Link {
        CallId call = 0;  // 0 if the connection is idle
        SlotKind lane = SlotKind::call;
        bool counts = false;  // whether the call holds a slot
    };

    static std::size_t index(SlotKind lane) noexcept { return static_cast<std::size_t>(lane); }
    bool has_room(SlotKind lane) const noexcept;
    Assignment assign(Waiting const& waiting, SlotKind lane);
    void vacate(Link& link) noexcept;

    CallPoolLimits limits_;
    std::array<Queue, 3> waiting_;
    std::unordered_map<CallId, Place> places_;  // the position of each waiting call
    std::array<std::size_t, 3> busy_{};
    std::map<LinkId, Link> links_;
    std::unordered_map<CallId, LinkId> by_call_;
    std::vector<LinkId> idle_;  // the most recently used connection is last
    LinkId last_link_ = 0;
};

}  // namespace lanyard::http
