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

#include "runtime/loop.hpp"

namespace lanyard::runtime {

/// An executor for user code that never runs two functions at the same time. A function usually
/// runs a coroutine until its next suspension. The functions run on the loop, at its shallow point
/// (see loop.hpp), until one of them has blocked the loop. From then on they run on spare threads
/// of the loop.
class Lane final : public std::enable_shared_from_this<Lane> {
public:
    class Executor;

    /// `on_lost` is called when a function of the lane has blocked the loop. It is called on the
    /// thread that has taken the loop over.
    Lane(std::shared_ptr<Loop> loop, std::function<void()> on_lost)
        : loop_(std::move(loop)), on_lost_(std::move(on_lost)) {}

    /// Makes the lane run all its functions on spare threads, never on the loop.
    void leave_loop() noexcept {
        std::lock_guard const lock(mutex_);
        off_ = true;
    }

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
        if (on_lost_) on_lost_();
    }

    std::shared_ptr<Loop> loop_;
    std::function<void()> on_lost_;
    std::mutex mutex_;
    std::deque<Function> waiting_;  // functions to run on spare threads
    bool off_ = false;
    bool busy_ = false;  // a thread that does not own the loop is running functions
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
    /// Returns the same executor, because execute() never runs the function itself.
    Executor require(boost::asio::execution::blocking_t::never_t) const { return *this; }

    template <class F>
    void execute(F&& function) const {
        lane_->execute(std::forward<F>(function));
    }

    bool operator==(Executor const&) const noexcept = default;

private:
    std::shared_ptr<Lane> lane_;
};

/// A function that is posted to the loop and runs at the loop's shallow point.
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
    if (is_off() || !loop_->guards()) {
        run_off_loop(wrap(std::move(function)));
        return;
    }
    Work<F> work(*this, function);
    work.run_ready(*loop_);
}

/// Returns an executor on which to run a coroutine of user code for a connection on `executor`: a
/// new lane if a loop runs `executor`, otherwise `executor` itself. When the coroutine blocks the
/// loop, `*blocks` is set. From then on, the rest of this coroutine, and later coroutines with the
/// same `blocks`, run on other threads.
inline boost::asio::any_io_executor user_executor(
    boost::asio::any_io_executor const& executor,
    std::shared_ptr<std::atomic<bool>> const& blocks) {
    auto* const loop = Loop::of(executor);
    if (loop == nullptr) return executor;
    auto const lane =
        std::make_shared<Lane>(loop->shared_from_this(), [blocks] { blocks->store(true); });
    if (blocks->load()) lane->leave_loop();
    return Lane::Executor(lane);
}

}  // namespace lanyard::runtime
