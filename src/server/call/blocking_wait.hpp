// BlockingWait: runs a coroutine in the calling thread and blocks until it ends.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "lanyard/task.hpp"
#include "runtime/cancelled_by.hpp"

namespace lanyard::server {

/// Must be created with std::make_shared: objects that the coroutine creates, such as a question to
/// the client, store the executor and thereby share the ownership of this object. Such objects may
/// outlive run(). Functions that they post after run() has ended are dropped.
class BlockingWait final : public std::enable_shared_from_this<BlockingWait> {
public:
    /// Runs the task until it ends and rethrows its exception. Must be called only once.
    void run(Task<> task);
    /// Cancels the task. May be called on any thread.
    void cancel();

private:
    class Executor;

    std::mutex mutex_;
    bool open_ = true;
    boost::asio::io_context context_{1};
    boost::asio::cancellation_signal signal_;
};

/// An executor for Asio. execute() only posts the function and never runs it directly.
class BlockingWait::Executor {
public:
    explicit Executor(std::shared_ptr<BlockingWait> wait) noexcept : wait_(std::move(wait)) {}

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return wait_->context_;
    }
    static constexpr boost::asio::execution::blocking_t query(
        boost::asio::execution::blocking_t) noexcept {
        return boost::asio::execution::blocking.never;
    }
    Executor require(boost::asio::execution::blocking_t::never_t) const { return *this; }

    template <class F>
    void execute(F&& function) const {
        std::lock_guard const lock(wait_->mutex_);
        if (wait_->open_) boost::asio::post(wait_->context_, std::forward<F>(function));
    }

    bool operator==(Executor const&) const noexcept = default;

private:
    std::shared_ptr<BlockingWait> wait_;
};

inline void BlockingWait::run(Task<> task) {
    std::exception_ptr failure;
    bool done = false;
    auto const end = [&](std::exception_ptr thrown) {
        failure = std::move(thrown);
        done = true;
    };
    boost::asio::co_spawn(Executor(shared_from_this()), std::move(task),
                          runtime::cancelled_by(signal_.slot(), end));
    auto const guard = boost::asio::make_work_guard(context_);
    while (!done) context_.run_one();
    // The function in the slot owns an executor, which owns this object. Clearing the slot ends
    // this cycle.
    signal_.slot().clear();
    {
        std::lock_guard const lock(mutex_);
        open_ = false;
    }
    // Runs the functions that were posted before open_ became false. They own shared pointers to
    // this object, so this object would never be freed if the functions stayed in the queue.
    context_.restart();
    while (context_.poll() != 0) {
    }
    if (failure) std::rethrow_exception(failure);
}

inline void BlockingWait::cancel() {
    auto const emit = [wait = shared_from_this()] {
        wait->signal_.emit(boost::asio::cancellation_type::all);
    };
    // cancel() may be called before run(). The second post makes sure that the coroutine has
    // started before the signal is emitted.
    auto const emit_after_start = [wait = shared_from_this(), emit] {
        boost::asio::post(wait->context_, emit);
    };
    std::lock_guard const lock(mutex_);
    if (open_) boost::asio::post(context_, emit_after_start);
}

}  // namespace lanyard::server
