// CallPool: which connection carries which call. No I/O: it only keeps the books.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "http/client_machine.hpp"

namespace lanyard::http {

using LinkId = std::uint64_t;

struct CallPoolLimits {
    std::size_t calls = 10;    ///< that wait for the beginning of their answer at the same time
    std::size_t messages = 4;  ///< likewise: notifications, answers
    std::size_t queued = 1'000;
    std::size_t idle = 10;  ///< connections that are kept for later
};

/// A call holds its place until its answer has ended, or turns out to be a stream: a stream has all
/// the time in the world and must not keep others waiting. Messages have places of their own,
/// because a call may be waiting for one of them. Not thread-safe.
class CallPool {
public:
    explicit CallPool(CallPoolLimits const& limits = {}) noexcept : limits_(limits) {}

    /// False if too many wait already. The call must not be in the pool.
    bool submit(CallId call, Lane lane, bool fresh);

    struct Assignment {
        CallId call;
        LinkId link;
        bool open;  ///< the connection has to be made
    };
    /// The next call that can be made, if any.
    std::optional<Assignment> next();

    /// The answer of this call is a stream.
    void on_stream(CallId call);
    /// The call has ended and the connection can carry another one. False where there are enough of
    /// those: then it is to be closed, and is gone.
    bool on_free(LinkId link);
    /// The connection is gone, and with it the call it carried.
    void on_gone(LinkId link);
    /// The call is given up, in constant time. Returns the connection that carries it, which is
    /// then to be closed.
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
        Lane lane;
        Queue::iterator at;
    };
    struct Link {
        CallId call = 0;  // 0: none
        Lane lane = Lane::call;
        bool counts = false;  // holds a place of its lane
    };

    static std::size_t index(Lane lane) noexcept { return static_cast<std::size_t>(lane); }
    bool has_room(Lane lane) const noexcept;
    Assignment assign(Waiting const& waiting, Lane lane);
    void vacate(Link& link) noexcept;

    CallPoolLimits limits_;
    std::array<Queue, 3> waiting_;
    std::unordered_map<CallId, Place> places_;  // of the calls that wait
    std::array<std::size_t, 3> busy_{};
    std::map<LinkId, Link> links_;
    std::unordered_map<CallId, LinkId> by_call_;
    std::vector<LinkId> idle_;  // the one used last at the end
    LinkId last_link_ = 0;
};

}  // namespace lanyard::http
