// Lane: an executor that runs a coroutine of user code on a loop. If the coroutine blocks the loop,
// the rest of this coroutine runs on other threads.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>

#include "runtime/lane_code.hpp"
#include "runtime/loop.hpp"

namespace lanyard::runtime {

/// An executor for user code that never runs two functions at the same time. A function usually
/// runs a coroutine until its next suspension. At first, the functions run on the loop, at its
/// shallow point (see loop.hpp). When the user code has blocked a loop, through this lane or
/// through another lane that runs the same code, the functions run on spare threads of the loop.
class Lane final : public std::enable_shared_from_this<Lane> {
public:
    class Executor;

    /// `code` is shared by all lanes that run the same user code. If it is empty, this lane leaves
    /// the loop only after one of its own functions has blocked the loop.
    Lane(std::shared_ptr<Loop> loop, std::weak_ptr<LaneCode> code)
        : loop_(std::move(loop)), code_(std::move(code)) {}

private:
    template <class F>
    class Step;
    template <class F>
    class Work;
    using Function = std::function<void()>;

    template <class F>
    static Function wrap(F&& function) {
        // std::function requires a copyable function; Asio's functions are only movable.
        auto shared = std::make_shared<std::decay_t<F>>(std::forward<F>(function));
        return [shared] { std::move (*shared)(); };
    }

    template <class F>
    void execute(F&& function);
    template <class F>
    void run_on_loop(F& function);

    bool is_off() {
        std::lock_guard const lock(mutex_);
        return off_;
    }
    bool may_run_on_loop() {
        if (is_off()) return false;
        // Checked again for each function: functions of many lanes may have been posted before the
        // first of these functions blocked the loop.
        auto const code = code_.lock();
        if (code && code->has_blocked()) return false;
        return loop_->guards();
    }
    void run_off_loop(Function function) {
        {
            std::lock_guard const lock(mutex_);
            off_ = true;
            waiting_.push_back(std::move(function));
            if (std::exchange(busy_, true)) return;
        }
        loop_->run_elsewhere([self = shared_from_this()] { self->drain(); });
    }
    // Runs the waiting functions. Only one thread does this at a time.
    void drain() noexcept {
        for (;;) {
            Function next;
            {
                std::lock_guard const lock(mutex_);
                if (waiting_.empty()) {
                    busy_ = false;
                    return;
                }
                next = std::move(waiting_.front());
                waiting_.pop_front();
            }
            try {
                next();
            } catch (...) {
                loop_->fail(std::current_exception());
            }
        }
    }
    void on_lost() noexcept {
        {
            std::lock_guard const lock(mutex_);
            off_ = busy_ = true;
        }
        if (auto const code = code_.lock()) code->on_blocked();
    }

    std::shared_ptr<Loop> loop_;
    std::weak_ptr<LaneCode> code_;
    std::mutex mutex_;
    std::deque<Function> waiting_;  // functions to run on spare threads
    bool off_ = false;
    bool busy_ = false;  // whether a thread that does not own the loop is running functions
};

/// A copyable handle to a lane, as required by Asio.
class Lane::Executor {
public:
    explicit Executor(std::shared_ptr<Lane> lane) noexcept : lane_(std::move(lane)) {}

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return lane_->loop_->context();
    }
    static constexpr boost::asio::execution::blocking_t query(
        boost::asio::execution::blocking_t) noexcept {
        return boost::asio::execution::blocking.never;
    }
    /// Returns the same executor. The requirement is always fulfilled, because execute() never runs
    /// the function directly.
    Executor require(boost::asio::execution::blocking_t::never_t) const { return *this; }

    template <class F>
    void execute(F&& function) const {
        lane_->execute(std::forward<F>(function));
    }

    bool operator==(Executor const&) const noexcept = default;

private:
    std::shared_ptr<Lane> lane_;
};

/// A function that is posted to the loop and runs at its shallow point (see runtime/loop.hpp).
template <class F>
class Lane::Step {
public:
    Step(std::shared_ptr<Lane> lane, F function)
        : lane_(std::move(lane)), function_(std::move(function)) {}

    void operator()() { lane_->run_on_loop(function_); }

private:
    std::shared_ptr<Lane> lane_;
    F function_;
};

template <class F>
class Lane::Work final : public UserWork {
public:
    Work(Lane& lane, F& function) noexcept : lane_(lane), function_(function) {}

    void run_ready(Loop& loop) override { loop.run_user(*this); }
    void invoke() noexcept override {
        try {
            std::move(function_)();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    void finish() override {
        if (failure_) std::rethrow_exception(failure_);
    }
    void on_lost() noexcept override { lane_.on_lost(); }
    void finish_lost() noexcept override { lane_.drain(); }

private:
    Lane& lane_;
    F& function_;
    std::exception_ptr failure_;
};

template <class F>
void Lane::execute(F&& function) {
    if (is_off()) {
        run_off_loop(wrap(std::forward<F>(function)));
        return;
    }
    boost::asio::post(loop_->context(),
                      Step<std::decay_t<F>>(shared_from_this(), std::forward<F>(function)));
}

template <class F>
void Lane::run_on_loop(F& function) {
    if (!may_run_on_loop()) {
        run_off_loop(wrap(std::move(function)));
        return;
    }
    Work<F> work(*this, function);
    work.run_ready(*loop_);
}

/// Returns an executor on which to run a coroutine of user code for a connection on `executor`: a
/// new lane if a loop runs `executor`, otherwise `executor` itself. After a coroutine has blocked
/// the loop, the rest of that coroutine and all other coroutines with the same `code` run on other
/// threads.
inline boost::asio::any_io_executor user_executor(boost::asio::any_io_executor const& executor,
                                                  std::weak_ptr<LaneCode> code = {}) {
    auto* const loop = Loop::of(executor);
    if (loop == nullptr) return executor;
    return Lane::Executor(std::make_shared<Lane>(loop->shared_from_this(), std::move(code)));
}

}  // namespace lanyard::runtime
