// The world of one seed: virtual time, the planned events, and the record of what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dice.hpp"
#include "lanyard/clock.hpp"

namespace lanyard::simulation {

/// Thrown if an invariant does not hold.
class Violation : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, char const* otherwise) {
    if (!holds) throw Violation(otherwise);
}

/// A hash over everything that happens; prints the text if required.
class Trace {
public:
    explicit Trace(bool prints) noexcept : prints_(prints) {}

    void add(TimePoint now, std::string_view who, std::string_view what, std::string_view text);

    std::uint64_t hash() const noexcept { return hash_; }

private:
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
    bool prints_;
};

/// Planned events, ordered by time and then by entry.
class Agenda {
public:
    void at(TimePoint when, std::function<void()> what) {
        entries_.push({when, ++entered_, std::move(what)});
    }
    /// When the next event is due; TimePoint::max() if there is none.
    TimePoint next() const noexcept {
        return entries_.empty() ? TimePoint::max() : entries_.top().when;
    }
    /// Runs the event that is due first.
    void run_one() {
        auto const what = std::move(const_cast<Entry&>(entries_.top()).what);
        entries_.pop();
        what();
    }

private:
    struct Entry {
        TimePoint when;
        std::uint64_t order;
        std::function<void()> what;

        bool operator<(Entry const& other) const noexcept {
            return when != other.when ? when > other.when : order > other.order;
        }
    };

    std::priority_queue<Entry> entries_;
    std::uint64_t entered_ = 0;
};

/// Shared by all parts of a simulated world.
struct World {
    World(std::uint64_t seed, bool prints) : dice(seed), trace(prints) {}

    void note(std::string_view who, std::string_view what, std::string_view text = {}) {
        trace.add(now, who, what, text);
    }
    void in(Duration wait, std::function<void()> what) { agenda.at(now + wait, std::move(what)); }

    TimePoint now{std::chrono::hours(1)};
    Dice dice;
    Agenda agenda;
    Trace trace;
};

/// The result of one seed.
struct Outcome {
    std::uint64_t hash = 0;
    std::uint64_t steps = 0;
    std::string violation;  ///< empty if every invariant held
};

/// Deliberate defects of the world, to show that the invariants detect them.
enum class Defect : std::uint8_t {
    none,
    answers_twice,            ///< a result reaches its caller twice; a request its server twice
    swaps_answers,            ///< a result goes to another request
    answers_after_cancel,     ///< a cancelled request is answered
    forgets_a_handler,        ///< a cancelled handler never ends; a client is never closed
    never_looks_at_the_time,  ///< requests do not time out
    calls_after_close,        ///< messages are processed after the connection was closed
    queues_without_bound,     ///< the bytes under way are not limited
    forgets_subscriptions,    ///< a client does not record its subscriptions
    never_pings,              ///< the server does not check whether its clients are alive
    never_reconnects,         ///< a client that has lost its connection waits forever
};

/// Two engines without I/O.
Outcome simulate_engines(std::uint64_t seed, bool prints, Defect defect = Defect::none);
/// A server and two clients over simulated connections.
Outcome simulate_sessions(std::uint64_t seed, bool prints, Defect defect = Defect::none);

}  // namespace lanyard::simulation
