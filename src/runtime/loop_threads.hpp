// LoopThreads: several event loops, each of which runs on a thread of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "lanyard/task.hpp"
#include "runtime/loop.hpp"

namespace lanyard::runtime {

/// The loops of a listener that serves on several threads. Functions may be posted to a loop that
/// has ended, until the LoopThreads object is destroyed. Objects that use a loop must be destroyed
/// before the LoopThreads object, but after stop().
class LoopThreads {
public:
    explicit LoopThreads(std::size_t count);
    LoopThreads(LoopThreads const&) = delete;
    LoopThreads& operator=(LoopThreads const&) = delete;
    /// Calls stop(), and destroys the functions that are still queued.
    ~LoopThreads();

    boost::asio::any_io_executor executor(std::size_t i) const {
        return workers_[i].loop->context().get_executor();
    }

    /// Starts the threads. The loop with the number i runs `work(i)`, and ends when this task has
    /// completed. Completes when all loops have ended. If one of them ends with an exception,
    /// throws this exception at once. Must be called only once.
    Task<> run(std::function<Task<>(std::size_t)> work);
    /// Ends all loops at once, and waits for the threads. Handlers that have blocked their loop
    /// continue on other threads.
    void stop() noexcept;

private:
    struct Worker {
        std::shared_ptr<Loop> loop;
        bool started = false;
        std::thread waiter{};  // waits for the end of the loop
    };
    struct Finish;

    static void await_end(Loop& loop, Finish& finish);

    std::vector<Worker> workers_;
    std::shared_ptr<Finish> finish_;
};

}  // namespace lanyard::runtime
