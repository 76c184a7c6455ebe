// UnsentAnswers: how much of what waits in an outbox the peer has asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "lanyard/rpc/outbox.hpp"

namespace lanyard::runtime {

/// Messages are numbered in the order in which they are sent; the carrier says how many it has
/// taken out of the outbox. Not thread-safe.
class UnsentAnswers {
public:
    /// The end of an outbox.
    struct Mark {
        explicit Mark(rpc::Outbox const& outbox) noexcept
            : messages(outbox.count()), bytes(outbox.bytes().size()) {}

        std::size_t messages;
        std::size_t bytes;
    };

    /// What was appended since the mark are answers.
    void add(Mark const& before, Mark const& now, std::uint64_t sent) {
        if (now.messages <= before.messages || now.bytes <= before.bytes) return;
        auto const bytes = now.bytes - before.bytes;
        runs_.push_back({sent + now.messages, bytes});
        bytes_ += bytes;
    }
    /// Drops what the carrier has taken, and returns the bytes of the rest. An answer that is sent
    /// in part counts as a whole, and so do those that were appended together.
    std::size_t bytes(std::uint64_t sent) {
        while (!runs_.empty() && runs_.front().end <= sent) {
            bytes_ -= runs_.front().bytes;
            runs_.pop_front();
        }
        return bytes_;
    }
    void clear() noexcept {
        runs_.clear();
        bytes_ = 0;
    }
    bool empty() const noexcept { return runs_.empty(); }

private:
    // Answers that were appended together.
    struct Run {
        std::uint64_t end;  // the number of the message behind them
        std::size_t bytes;
    };
    std::deque<Run> runs_;
    std::size_t bytes_ = 0;
};

}  // namespace lanyard::runtime
