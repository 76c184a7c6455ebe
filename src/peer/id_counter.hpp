// Request ids for one side of a connection: increasing, never reused, with a warning well before
// they are used up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lanyard/rpc/request_id.hpp"

namespace lanyard::rpc {

/// A warning, returned with an id, that most ids of the counter have been used.
enum class IdNotice : std::uint8_t { none, used_80_percent, used_90_percent, reconnect_needed };

/// Issues ids in increasing order, up to 2^53: peers that store JSON numbers as doubles cannot
/// represent all larger integers. Not thread-safe.
class IdCounter {
public:
    static constexpr std::int64_t limit = std::int64_t{1} << 53;
    static constexpr std::int64_t warn_80 = limit / 10 * 8;
    static constexpr std::int64_t warn_90 = limit / 10 * 9;
    static constexpr std::int64_t reconnect_at = limit / 100 * 96;

    explicit IdCounter(std::int64_t first = 1) noexcept : next_(first) {}

    struct Taken {
        std::int64_t id;
        IdNotice notice;
    };
    /// Returns the next id, or nullopt if all are used up. The id that reaches a threshold (80 %,
    /// 90 %, 96 %) comes with the notice for it; all others come with IdNotice::none.
    std::optional<Taken> take() noexcept {
        if (next_ > limit) return std::nullopt;
        auto const id = next_++;
        if (id < warn_80) return Taken{id, IdNotice::none};
        if (id == warn_80) return Taken{id, IdNotice::used_80_percent};
        if (id == warn_90) return Taken{id, IdNotice::used_90_percent};
        if (id == reconnect_at) return Taken{id, IdNotice::reconnect_needed};
        return Taken{id, IdNotice::none};
    }

    /// The id that take() returns next.
    std::int64_t next() const noexcept { return next_; }

    /// Whether the owner should open a new connection, because 96 % of the ids have been used.
    bool reconnect_needed() const noexcept { return next_ > reconnect_at; }

    /// To be called when a new connection is open. Normally the counter continues, so that a late
    /// answer never matches a new request. If reconnect_needed(), it starts again from 1.
    void reconnected() noexcept {
        if (reconnect_needed()) next_ = 1;
    }

private:
    std::int64_t next_;
};

/// Returns the id of the request that the peer has answered. Requests are sent with integer ids,
/// but some peers return such an id as a string, which is accepted, too. Returns nullopt if the
/// string is not the decimal form of such an id.
inline std::optional<std::int64_t> own_id(RequestId const& id) noexcept {
    if (auto const* const number = id.integer()) return *number;
    auto const& text = *id.string();
    constexpr std::size_t most_digits = 16;  // the number of digits of IdCounter::limit
    if (text.empty() || text.size() > most_digits || text.front() == '0') return std::nullopt;
    std::int64_t value = 0;
    for (char const c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

}  // namespace lanyard::rpc
