// UnsentAnswers: the number of queued bytes in an outbox that are answers to the peer's requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "lanyard/rpc/outbox.hpp"

namespace lanyard::runtime {

/// Messages are numbered in the order in which they are sent. The parameter `sent` is the number of
/// messages that the transport has taken out of the outbox so far. Not thread-safe.
class UnsentAnswers {
public:
    /// The number of messages and bytes in an outbox when the mark was made.
    struct Mark {
        explicit Mark(rpc::Outbox const& outbox) noexcept
            : messages(outbox.count()), bytes(outbox.bytes().size()) {}

        std::size_t messages;
        std::size_t bytes;
    };

    /// Counts the messages that were appended between the two marks as answers.
    void add(Mark const& before, Mark const& now, std::uint64_t sent) {
        if (now.messages <= before.messages || now.bytes <= before.bytes) return;
        auto const bytes = now.bytes - before.bytes;
        runs_.push_back({sent + now.messages, bytes});
        bytes_ += bytes;
    }
    /// Forgets the answers that the transport has taken, and returns the number of bytes of the
    /// remaining answers.
    /// A partly sent answer counts in full. Answers that were appended together count in full until
    /// the last of them is sent.
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
        std::uint64_t end;  // the number of the message after these answers
        std::size_t bytes;
    };
    std::deque<Run> runs_;
    std::size_t bytes_ = 0;
};

}  // namespace lanyard::runtime
