// LoopToken and LoopWatch: which thread may run the engine code of a loop, and when user code has
// run for too long. No threads and no clock; see docs/design/loops.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "lanyard/clock.hpp"

namespace lanyard::runtime {

/// Even: engine code runs, or nothing. Odd: user code runs. The value only grows.
class LoopToken {
public:
    using Word = std::uint64_t;

    static constexpr bool in_user_code(Word word) noexcept { return (word & 1) != 0; }

    /// The owner starts to run user code.
    Word enter() noexcept { return word_.fetch_add(1) + 1; }
    /// User code has returned. Returns false if another thread owns the loop now.
    bool leave(Word entered) noexcept { return advance(entered); }
    /// Takes the loop from the thread that runs this user code. Returns false if the code has
    /// returned.
    bool take(Word entered) noexcept { return advance(entered); }
    Word read() const noexcept { return word_.load(); }

private:
    bool advance(Word entered) noexcept {
        return word_.compare_exchange_strong(entered, entered + 1);
    }

    std::atomic<Word> word_ = 0;
};

/// Decides what to do after each look at the token.
class LoopWatch {
public:
    /// The time between two looks.
    static constexpr Duration interval = std::chrono::milliseconds(8);
    /// The number of looks without a call after which the watch sleeps.
    static constexpr unsigned idle_looks = 15;
    /// If there were at most this many calls between two looks, handlers may be slow.
    static constexpr LoopToken::Word few_calls = 4;

    enum class Verdict {
        wait,       ///< nothing to do
        suspect,    ///< handlers may be slow: measure them
        take_over,  ///< user code has been running since the last look
        sleep,      ///< no call for a while
    };

    Verdict look(LoopToken::Word word) noexcept {
        auto const before = last_;
        last_ = word;
        bool const in_user_code = LoopToken::in_user_code(word);
        if (word != before) {
            idle_ = 0;
            // Each call increases the word by two.
            bool const few = word - before <= 2 * few_calls;
            return in_user_code && few ? Verdict::suspect : Verdict::wait;
        }
        if (in_user_code) return Verdict::take_over;
        if (++idle_ < idle_looks) return Verdict::wait;
        idle_ = 0;
        return Verdict::sleep;
    }

private:
    LoopToken::Word last_ = 0;
    unsigned idle_ = 0;
};

}  // namespace lanyard::runtime
