#include "runtime/loop_threads.hpp"

#include <exception>
#include <mutex>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "runtime/event.hpp"
#include "runtime/post.hpp"

namespace lanyard::runtime {

// Counts the loops that have ended, for the coroutine that waits for them.
struct LoopThreads::Finish : std::enable_shared_from_this<Finish> {
    explicit Finish(boost::asio::any_io_executor const& on) : executor(on), changed(on) {}

    boost::asio::any_io_executor executor;  // the executor of the waiting coroutine

    // These members are used on the executor.
    Event changed;
    std::size_t ended = 0;
    std::exception_ptr failure;  // the exception with which a loop has ended

    std::mutex mutex;
    // The coroutine does not wait any more, and the executor may not exist any more.
    bool abandoned = false;
};

LoopThreads::LoopThreads(std::size_t count) : workers_(count) {
    for (auto& worker : workers_) worker.loop = std::make_shared<Loop>();
}

LoopThreads::~LoopThreads() {
    stop();
    for (auto const& worker : workers_) {
        if (worker.started) worker.loop->shut_down();
    }
}

void LoopThreads::await_end(Loop& loop, Finish& finish) {
    auto const failure = loop.wait();
    std::lock_guard const lock(finish.mutex);
    if (finish.abandoned) return;
    post_always(finish.executor, [finish = finish.shared_from_this(), failure] {
        ++finish->ended;
        if (failure) finish->failure = failure;
        finish->changed.notify();
    });
}

Task<> LoopThreads::run(std::function<Task<>(std::size_t)> work) {
    auto const finish = std::make_shared<Finish>(co_await boost::asio::this_coro::executor);
    finish_ = finish;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        auto& worker = workers_[i];
        auto& context = worker.loop->context();
        // A context with a blocked handler never runs out of work, so the context is stopped
        // explicitly.
        auto const end = [&context](std::exception_ptr const& failure) {
            if (failure) std::rethrow_exception(failure);
            context.stop();
        };
        boost::asio::co_spawn(context, work(i), end);
        worker.loop->start();
        worker.started = true;
        worker.waiter = std::thread([loop = worker.loop, finish] { await_end(*loop, *finish); });
    }
    while (finish->ended < workers_.size() && !finish->failure) co_await finish->changed.wait();
    if (finish->failure) std::rethrow_exception(finish->failure);
}

void LoopThreads::stop() noexcept {
    if (finish_) {
        std::lock_guard const lock(finish_->mutex);
        finish_->abandoned = true;
    }
    for (auto const& worker : workers_) worker.loop->context().stop();
    for (auto& worker : workers_) {
        if (worker.waiter.joinable()) worker.waiter.join();
        if (worker.started) worker.loop->wait();
    }
}

}  // namespace lanyard::runtime
