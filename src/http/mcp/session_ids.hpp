// SessionIds: makes the ids of sessions. Only the server can read from an id which loop has the
// session.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lanyard/clock.hpp"

namespace lanyard::http {

/// The ids have 24 characters of base64url. The first 22 are random. The last two are the number of
/// a loop, masked with 12 bits of a keyed hash of the random part. So clients cannot read the
/// number or choose a loop, and every text is the id of some loop: an id that was made by another
/// process, or with another number of loops, leads to one loop of this listener, always the same.
///
/// Thread-safe, if the source of randomness is.
class SessionIds {
public:
    /// The maximum number of loops.
    static constexpr std::size_t max_loops = 4096;
    static constexpr std::size_t size = 24;

    explicit SessionIds(Random& random, std::size_t loops = 1);

    std::size_t loops() const noexcept { return loops_; }
    std::string make(std::size_t loop) const;
    /// Returns the number of the loop that has the session with this id, if any loop has it.
    std::size_t loop_of(std::string_view id) const;

private:
    std::size_t mask_of(std::string_view random_part) const;

    Random& random_;
    std::size_t loops_;
    std::string key_;
};

}  // namespace lanyard::http
