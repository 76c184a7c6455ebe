// Request ids for one side of a connection: increasing, never reused, with a warning well before
// they are used up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

    /// `last` is the largest id. It must be at least 100, so that the thresholds differ from each
    /// other.
    explicit IdCounter(std::int64_t first = 1, std::int64_t last = limit) noexcept
        : next_(first), last_(last) {
        while (notice_at_ < next_) next_notice();
    }

    struct Taken {
        std::int64_t id;
        IdNotice notice;
    };
    /// Returns the next id, or nullopt if all are used up. The id that reaches a threshold (80 %,
    /// 90 %, 96 %) comes with the notice for it; all others come with IdNotice::none.
    std::optional<Taken> take() noexcept {
        if (next_ > last_) return std::nullopt;
        auto const id = next_++;
        if (id < notice_at_) return Taken{id, IdNotice::none};
        auto const reached = notice_;
        next_notice();
        return Taken{id, reached};
    }

    /// The id that take() returns next.
    std::int64_t next() const noexcept { return next_; }

    /// Whether the owner should open a new connection, because 96 % of the ids have been used.
    bool reconnect_needed() const noexcept {
        return next_ > threshold(IdNotice::reconnect_needed, last_);
    }

    /// To be called when a new connection is open. Normally the counter continues, so that a late
    /// answer never matches a new request. If reconnect_needed() is true, the ids start again from
    /// 1.
    void reconnected() noexcept {
        if (reconnect_needed()) *this = IdCounter(1, last_);
    }

private:
    /// Returns the id that comes with this notice. For `none`, returns a number larger than every
    /// id.
    static constexpr std::int64_t threshold(IdNotice notice, std::int64_t last) noexcept {
        switch (notice) {
            case IdNotice::used_80_percent:
                return last / 10 * 8;
            case IdNotice::used_90_percent:
                return last / 10 * 9;
            case IdNotice::reconnect_needed:
                return last / 100 * 96;
            case IdNotice::none:
                break;
        }
        return std::numeric_limits<std::int64_t>::max();
    }
    void next_notice() noexcept {
        switch (notice_) {
            case IdNotice::used_80_percent:
                notice_ = IdNotice::used_90_percent;
                break;
            case IdNotice::used_90_percent:
                notice_ = IdNotice::reconnect_needed;
                break;
            default:
                notice_ = IdNotice::none;
        }
        notice_at_ = threshold(notice_, last_);
    }

    std::int64_t next_;
    std::int64_t last_;
    IdNotice notice_ = IdNotice::used_80_percent;  // the next notice to give
    std::int64_t notice_at_ = threshold(notice_, last_);
};

/// Returns the id of the request that the peer has answered. `id` is the id in the answer. Requests
/// are sent with integer ids, but some peers return such an id as a string, which is accepted, too.
/// Returns nullopt if the string is not the decimal form of an id.
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
