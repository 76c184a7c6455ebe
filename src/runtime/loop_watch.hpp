// LoopToken and LoopWatch: who may run the engine code of a loop, and when user code has kept it
// for too long. No threads and no clock; see docs/design/loops.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "lanyard/clock.hpp"

namespace lanyard::runtime {

/// Even: engine code runs, or nothing. Odd: user code runs. It only grows.
class LoopToken {
public:
    using Word = std::uint64_t;

    static constexpr bool in_user_code(Word word) noexcept { return (word & 1) != 0; }

    /// The owner begins to run user code.
    Word enter() noexcept { return word_.fetch_add(1) + 1; }
    /// User code has returned. False: somebody else owns the loop now.
    bool leave(Word entered) noexcept { return advance(entered); }
    /// Takes the loop from the thread that runs this user code. False: it has returned.
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
    /// Looks without a call after which the watch sleeps.
    static constexpr unsigned idle_looks = 15;
    /// Calls between two looks that are few enough to suspect slow handlers.
    static constexpr LoopToken::Word few_calls = 4;

    enum class Verdict {
        wait,       ///< all is well
        suspect,    ///< handlers may be slow: measure them
        take_over,  ///< user code has kept the loop since the last look
        sleep,      ///< no call for a while
    };

    Verdict look(LoopToken::Word word) noexcept {
        auto const before = last_;
        last_ = word;
        bool const in_user_code = LoopToken::in_user_code(word);
        if (word != before) {
            idle_ = 0;
            // Each call moves the word by two.
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
