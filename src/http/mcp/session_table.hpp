// SessionTable: finds the sessions of an endpoint by their ids, limits their number, and ends
// expired ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "http/mcp/http_session.hpp"
#include "http/mcp/session_counts.hpp"

namespace lanyard::http {

/// Not thread-safe.
class SessionTable {
public:
    /// `counts` has the sessions of all loops of the listener.
    SessionTable(McpHttpOptions const& options, McpCounters& counters,
                 SessionCounts& counts) noexcept
        : options_(options), counters_(counters), counts_(counts) {}
    SessionTable(SessionTable const&) = delete;
    SessionTable& operator=(SessionTable const&) = delete;
    /// Removes all sessions from the counts.
    ~SessionTable();

    void add(std::shared_ptr<HttpSession> session);
    /// Does nothing if the session is not in the table.
    void remove(HttpSession const& session) noexcept;

    /// Returns the session with this id and kind; null if there is none, or if it belongs to
    /// another principal.
    std::shared_ptr<HttpSession> find(std::string_view id, HttpSession::Kind kind,
                                      Principal const* principal) const;
    /// Whether there is a session with this id, of any kind and any principal.
    bool has(std::string_view id) const { return sessions_.find(id) != sessions_.end(); }

    /// Ends an idle session, to make room for a session of this principal (which may be null).
    /// `lack` is the limit that is reached. Returns false if there is no session that may be ended.
    bool evict_for(Principal const* principal, SessionRoom lack, TimePoint now);
    /// Ends sessions that have been idle for too long, suspends sessions that have been idle for a
    /// shorter time, and drops events that are too old.
    void sweep(TimePoint now);
    /// The time at which sweep() should be called next; `never` if there are no sessions.
    TimePoint next_sweep(TimePoint now) const noexcept;

    std::size_t size() const noexcept { return sessions_.size(); }
    /// A snapshot of all sessions.
    std::vector<std::shared_ptr<HttpSession>> all() const;

private:
    // Hash and Equal use the id of a session as its key, so that the id is stored only once, in the
    // session.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view id) const noexcept {
            // Ids are random, so the first bytes of an id are as good as a hash of the whole id.
            std::size_t part = 0;
            if (id.size() >= sizeof part) std::memcpy(&part, id.data(), sizeof part);
            return part;
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

    Duration expiry_of(HttpSession const& session) const noexcept;
    bool may_evict(HttpSession const& session, TimePoint now) const noexcept;
    void evict(HttpSession& session) noexcept;
    bool evict_anonymous(TimePoint now);
    void find_anonymous(TimePoint now);

    McpHttpOptions const& options_;
    McpCounters& counters_;
    SessionCounts& counts_;
    std::unordered_set<std::shared_ptr<HttpSession>, Hash, Equal> sessions_;
    bool more_may_suspend_ = false;

    // A session without a principal that may be ended to make room, if it was not used after
    // `last_used`.
    struct Candidate {
        std::weak_ptr<HttpSession> session;
        TimePoint last_used;
    };
    std::vector<Candidate> candidates_;  // the last one is ended first
    TimePoint look_again_ =
        TimePoint::min();  // from this time on, find_anonymous() may search again
};

}  // namespace lanyard::http
