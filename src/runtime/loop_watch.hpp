// LoopToken decides which thread may run the engine code (Lanyard's own code) of a loop; LoopWatch
// detects that user code has run for too long. Neither class uses threads or a clock; see
// docs/design/loops.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "lanyard/clock.hpp"

namespace lanyard::runtime {

/// A counter that only grows. It is odd while user code runs; otherwise it is even.
class LoopToken {
public:
    using Word = std::uint64_t;

    static constexpr bool in_user_code(Word word) noexcept { return (word & 1) != 0; }

    /// Called before the thread that owns the loop runs user code.
    Word enter() noexcept { return word_.fetch_add(1) + 1; }
    /// Called when user code has returned. Returns false if another thread owns the loop now.
    bool leave(Word entered) noexcept { return advance(entered); }
    /// Takes the loop over from the thread that runs this user code. Returns false if the user code
    /// has already returned.
    bool take(Word entered) noexcept { return advance(entered); }
    Word read() const noexcept { return word_.load(); }

private:
    bool advance(Word entered) noexcept {
        return word_.compare_exchange_strong(entered, entered + 1);
    }

    std::atomic<Word> word_ = 0;
};

/// Given the value of the token at regular intervals, decides whether to wait, measure the
/// handlers, take the loop over, or sleep.
class LoopWatch {
public:
    /// The time between two samples ("looks").
    static constexpr Duration interval = std::chrono::milliseconds(8);
    /// After this many consecutive samples between which no handler was called, the watch sleeps.
    static constexpr unsigned idle_looks = 15;
    /// If there were at most this many calls between two samples, handlers may be slow.
    static constexpr LoopToken::Word few_calls = 4;

    enum class Action {
        wait,       ///< nothing to do
        suspect,    ///< handlers may be slow: measure them
        take_over,  ///< the same user code has been running since the last sample
        sleep,      ///< no handler was called for a while
    };

    Action look(LoopToken::Word word) noexcept {
        auto const before = last_;
        last_ = word;
        bool const in_user_code = LoopToken::in_user_code(word);
        if (word != before) {
            idle_ = 0;
            // Each call of user code increases the word by two.
            bool const few = word - before <= 2 * few_calls;
            return in_user_code && few ? Action::suspect : Action::wait;
        }
        if (in_user_code) return Action::take_over;
        if (++idle_ < idle_looks) return Action::wait;
        idle_ = 0;
        return Action::sleep;
    }

private:
    LoopToken::Word last_ = 0;
    unsigned idle_ = 0;
};

}  // namespace lanyard::runtime
