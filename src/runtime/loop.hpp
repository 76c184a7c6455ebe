// Loop: an event loop that tolerates blocking user code. See docs/design/loops.md.
//
// The shallow point is a place in a round at which the stack holds only Asio's frames and
// Loop::drive(). User code runs only there, so that another thread can continue the round if the
// code blocks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/clock.hpp"
#include "runtime/loop_watch.hpp"

namespace lanyard::runtime {

class Loop;

/// An item for the ready queue of a loop. The loop runs queued items at its next shallow point. The
/// destructor removes the item from the queue.
class Ready {
public:
    Ready() = default;
    Ready(Ready const&) = delete;
    Ready& operator=(Ready const&) = delete;

    /// Called on the thread that owns the loop, at the shallow point.
    virtual void run_ready(Loop& loop) = 0;

    bool queued() const noexcept { return next_ != nullptr; }

protected:
    ~Ready() { unlink(); }
    /// Removes the item from the queue.
    void unlink() noexcept {
        if (next_ == nullptr) return;
        next_->previous_ = previous_;
        previous_->next_ = next_;
        next_ = previous_ = nullptr;
    }

private:
    friend class Loop;

    Ready* next_ = nullptr;
    Ready* previous_ = nullptr;
};

/// User code that a loop runs, and the functions that are called after the user code.
class UserWork : public Ready {
public:
    /// Runs the user code on the owner's thread. If the code blocks, another thread takes the loop
    /// over.
    virtual void invoke() noexcept = 0;
    /// Called after invoke(), on the owner's thread.
    virtual void finish() = 0;
    /// Called on the thread that has taken the loop over, while invoke() is still running on the
    /// former owner's thread. This object must stay alive until finish_lost().
    virtual void on_lost() noexcept = 0;
    /// Called instead of finish() if another thread has taken the loop over. Runs on the thread
    /// that has run invoke().
    virtual void finish_lost() noexcept = 0;

protected:
    ~UserWork() = default;
};

/// The work that the owner of the loop does after one wake-up: read, process messages, run calls,
/// write. A round keeps all its state in members, because another thread may continue it.
class Round {
public:
    virtual ~Round() = default;
    /// Continues the round until user code is ready to run or the round is over. Returns false if
    /// the round is over and this step has put nothing on the ready queue; otherwise step() is
    /// called again after the ready queue has been run.
    virtual bool step() = 0;
};

/// An io_context and the thread that owns it. Functions must be called on the owner's thread unless
/// noted otherwise. Must be created with std::make_shared.
class Loop final : public std::enable_shared_from_this<Loop> {
public:
    Loop();
    Loop(Loop const&) = delete;
    Loop& operator=(Loop const&) = delete;
    ~Loop();

    /// Sets the maximum number of threads, including threads that are blocked in handlers. The
    /// maximum is 64 unless this function is called. May be called on any thread.
    void limit_threads(std::size_t max);
    boost::asio::io_context& context() noexcept { return context_; }
    /// Returns the loop that runs the executor, or null if no loop does. May be called on any
    /// thread.
    static Loop* of(boost::asio::any_io_executor const& executor) noexcept;

    /// Runs the context on the loop's own threads until it is stopped or has nothing left to do,
    /// then destroys the functions that are still queued. Does not wait for blocked handlers. If a
    /// function on the context throws, throws that exception. May be called only once, and not on a
    /// thread of the loop.
    void run() {
        start();
        join();
    }
    /// The first part of run(): starts the thread that runs the context.
    void start();
    /// Ends the context; run() throws this exception. May be called on any thread.
    void fail(std::exception_ptr failure) noexcept;
    /// Sets a function that is called, at most once, when run() is going to throw. It is called on
    /// a thread of the loop and must not use the loop.
    void on_failure(std::function<void(std::exception_ptr)> report) { report_ = std::move(report); }
    /// The second part of run().
    void join();
    /// Waits until the context has ended. Returns the exception that join() would throw; null if
    /// there is none.
    std::exception_ptr wait();
    /// Destroys the functions that are still queued. wait() must have returned. No other thread may
    /// post a function any more.
    void shut_down() noexcept;
    /// Whether the calling thread is one of the loop's threads. May be called on any thread.
    bool runs_here() const noexcept;
    /// Waits until no handler is blocked any more, or until the given time. May be called on any
    /// thread.
    void wait_for_handlers(std::chrono::steady_clock::time_point until);

    /// Whether user code may run on the loop. This requires a watch: a thread that takes the loop
    /// over when user code blocks. Starts a watch if there is none.
    bool guards() { return guarded_.load(std::memory_order_relaxed) || start_watch(); }
    /// Whether the duration of each handler call should be measured. Set while handlers may be
    /// slow.
    bool measures() const noexcept { return measures_.load(std::memory_order_relaxed); }

    // The ready queue.

    bool has_ready() const noexcept { return queue_.next_ != &queue_; }
    /// Whether the loop will reach a shallow point before it reads another message.
    bool in_turn() const noexcept { return in_turn_; }
    /// Queues the item, to run at the next shallow point (see the top of this file). Items run in
    /// the order in which they were queued.
    void push(Ready& item);
    /// Runs the round, and items that become ready during the round. Must be called at a shallow
    /// point: the caller must do nothing afterwards, and the stack must hold nothing that belongs
    /// to the loop. The round must live until it is over or the context has ended.
    void drive(Round& round) {
        round_ = &round;
        go_on();
    }
    /// Same as drive(Round&), but the loop shares the ownership of the round until the round is
    /// over or the context has ended.
    void drive(std::shared_ptr<Round> round) {
        owned_round_ = std::move(round);
        drive(*owned_round_);
    }
    /// Runs user code; called by Ready::run_ready(). If another thread has taken the loop over
    /// while the user code was running, throws instead of returning.
    template <class Work>
    void run_user(Work& work) {
        running_ = &work;
        auto const entered = token_.enter();
        if (asleep_.load()) wake_watch();
        work.invoke();
        if (token_.leave(entered)) {
            work.finish();
        } else {
            end_lost(work, entered);
        }
    }

    /// While this object lives, in_turn() is true.
    class Turn {
    public:
        explicit Turn(Loop* loop) noexcept : loop_(loop) {
            if (loop_ != nullptr) loop_->in_turn_ = true;
        }
        ~Turn() {
            if (loop_ != nullptr) loop_->in_turn_ = false;
        }
        Turn(Turn const&) = delete;
        Turn& operator=(Turn const&) = delete;

    private:
        Loop* loop_;
    };

    /// Runs a job on a spare thread; the job waits while all threads are busy. May be called on any
    /// thread.
    void run_elsewhere(std::function<void()> job);

private:
    struct IoContext : boost::asio::io_context {
        using boost::asio::execution_context::shutdown;
        using boost::asio::io_context::io_context;
    };
    struct Head final : Ready {
        void run_ready(Loop&) override {}
    };
    class Service;
    struct Lost {};

    void go_on();
    [[noreturn]] void end_lost(UserWork& work, LoopToken::Word entered);
    void schedule();

    // These two functions must be called with the mutex held.
    bool start_thread(bool owner);
    bool provide_watch();

    bool start_watch();
    void wake_watch();
    void work(bool owner);
    bool own();
    bool watch(std::unique_lock<std::mutex>& lock);

    IoContext context_;
    LoopToken token_;
    Head queue_;
    Round* round_ = nullptr;
    std::shared_ptr<Round> owned_round_;  // keeps round_ alive if nothing else does
    UserWork* running_ = nullptr;
    bool in_turn_ = false;
    bool scheduled_ = false;

    // Whether there is, or is about to be, a watch: a thread that can take the loop over if user
    // code blocks.
    std::atomic<bool> guarded_ = false;
    std::atomic<bool> asleep_ = false;  // the watch is asleep
    std::atomic<bool> measures_ = false;
    // Whether join() is waiting for the threads.
    std::atomic<bool> stops_ = false;
    // The value that token_ had during the latest user code that blocked the loop. Set after
    // on_lost() has been called for this code. The thread that runs the code waits until this value
    // is set before it calls finish_lost().
    std::atomic<LoopToken::Word> adopted_ = 0;

    std::mutex mutex_;
    std::condition_variable changed_;  // wakes spare threads and join()
    std::condition_variable watch_wakes_;
    std::deque<std::function<void()>> jobs_;
    std::size_t max_threads_ = 64;
    std::size_t threads_ = 0;
    std::size_t idle_ = 0;       // the number of spare threads that wait for work
    std::size_t lost_ = 0;       // the number of threads that run user code without owning the loop
    bool watch_wanted_ = false;  // whether a spare thread must become the watch
    bool ended_ = false;         // the context has ended
    bool shut_down_ = false;     // the context is shut down and empty
    std::exception_ptr failure_;
    std::function<void(std::exception_ptr)> report_;
};

}  // namespace lanyard::runtime
