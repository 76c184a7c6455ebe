// WorkerPool: threads for handlers that may take their time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "lanyard/clock.hpp"

namespace lanyard::server {

/// Starts its threads as they are needed. Safe to use from any thread.
class WorkerPool {
public:
    /// As many threads as the machine has, and at least four, where `threads` is zero.
    WorkerPool(std::size_t threads, std::size_t max_queued);
    /// As stop(), without waiting.
    ~WorkerPool() { stop(Duration(0)); }
    WorkerPool(WorkerPool const&) = delete;
    WorkerPool& operator=(WorkerPool const&) = delete;

    /// Runs the job on one of the threads. False where the queue is full.
    bool submit(std::function<void()> job);

    /// Drops what is queued and waits for what is running. What takes longer than the patience is
    /// left behind: it goes on in its thread, which ends with it.
    void stop(Duration patience);

private:
    struct State {
        std::mutex mutex;
        std::condition_variable work;
        std::condition_variable ended;
        std::deque<std::function<void()>> queue;
        std::size_t idle = 0;
        std::size_t alive = 0;
        bool stopping = false;
    };
    static void work(State& state);

    std::size_t max_threads_;
    std::size_t max_queued_;
    std::shared_ptr<State> state_;  // shared with threads that may be left behind
};

}  // namespace lanyard::server
