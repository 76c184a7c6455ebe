// SessionTable: the sessions of an endpoint by their ids, how many there may be, and when they have
// been forgotten by their clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "http/http_session.hpp"

namespace lanyard::http {

/// Not thread-safe.
class SessionTable {
public:
    SessionTable(McpHttpOptions const& options, McpCounters& counters) noexcept
        : options_(options), counters_(counters) {}

    enum class Room : std::uint8_t { enough, full, full_for_principal };
    /// Whether another session may be opened.
    Room room_for(Principal const* principal) const;

    void add(std::shared_ptr<HttpSession> session);
    /// Does nothing where it is not there.
    void remove(HttpSession const& session) noexcept;

    /// The session of this kind and id, if it belongs to the principal: one of somebody else is as
    /// unknown as one that never was.
    std::shared_ptr<HttpSession> find(std::string_view id, HttpSession::Kind kind,
                                      Principal const* principal) const;

    /// Ends a session that is not in use, to make room for one of this principal (which may be
    /// null) where there is none. False where none can be ended.
    bool evict_for(Principal const* principal, Room lack, TimePoint now);
    /// Ends sessions that have been idle for too long, lets others rest, and lets events go that
    /// are too old.
    void sweep(TimePoint now);
    /// When to sweep again; never where there is nothing to do.
    TimePoint next_sweep(TimePoint now) const noexcept;

    std::size_t size() const noexcept { return sessions_.size(); }
    /// All of them at this moment.
    std::vector<std::shared_ptr<HttpSession>> all() const;

private:
    // Sessions are found by their ids, which they hold themselves.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view id) const noexcept {
            return std::hash<std::string_view>()(id);
        }
        std::size_t operator()(std::shared_ptr<HttpSession> const& session) const noexcept {
            return (*this)(session->id());
        }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(std::string_view id, std::shared_ptr<HttpSession> const& session) const {
            return id == session->id();
        }
        bool operator()(std::shared_ptr<HttpSession> const& one,
                        std::shared_ptr<HttpSession> const& other) const {
            return one->id() == other->id();
        }
    };

    Duration patience(HttpSession const& session) const noexcept;
    bool may_evict(HttpSession const& session, TimePoint now) const noexcept;
    std::size_t count_of(Principal const* principal) const;
    void evict(HttpSession& session) noexcept;
    bool evict_anonymous(TimePoint now);
    void find_anonymous(TimePoint now);

    McpHttpOptions const& options_;
    McpCounters& counters_;
    std::unordered_set<std::shared_ptr<HttpSession>, Hash, Equal> sessions_;
    std::unordered_map<std::string, std::size_t> by_principal_;
    bool more_may_rest_ = false;

    // Sessions without a principal that may end to make room, in the order in which they do, with
    // the time at which each was used last; and when it is worth while to look for more.
    struct Candidate {
        std::weak_ptr<HttpSession> session;
        TimePoint last_used;
    };
    std::vector<Candidate> candidates_;  // the first to go last
    TimePoint look_again_ = TimePoint::min();
};

}  // namespace lanyard::http
