// WorkerPool: threads for handlers that may take their time, shared fairly among clients.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lanyard/clock.hpp"

namespace lanyard::server {

/// Starts its threads as they are needed. A client whose jobs block takes its own share of the
/// threads only, so that jobs of other clients still run. Safe to use from any thread.
class WorkerPool {
public:
    struct Limits {
        /// Jobs of one client that run at a time. If zero, as many as the machine has cores, and at
        /// least four.
        std::size_t share = 0;
        /// Threads for all clients together; at least the share.
        std::size_t max_threads = 64;
        /// Jobs that wait, of all clients together. One client may have half of them.
        std::size_t max_queued = 1'000;
    };

    explicit WorkerPool(Limits const& limits);
    /// As stop(), without waiting.
    ~WorkerPool() { stop(Duration(0)); }
    WorkerPool(WorkerPool const&) = delete;
    WorkerPool& operator=(WorkerPool const&) = delete;

    /// Runs the job of this client on one of the threads. Jobs of a client start in their order;
    /// clients take turns. False: too many jobs wait.
    bool submit(std::string_view client, std::function<void()> job);

    /// Drops what is queued and waits for what is running. What takes longer than the patience is
    /// left behind: it goes on in its thread, which ends with it.
    void stop(Duration patience);

private:
    using Job = std::function<void()>;
    struct Client {
        std::deque<Job> waiting{};
        std::size_t running = 0;
        bool in_turn = false;  // it is in State::turns
    };
    using Clients = std::unordered_map<std::string, Client>;
    struct State {
        std::mutex mutex{};
        std::condition_variable work{};
        std::condition_variable ended{};
        Clients clients{};                         // those with jobs
        std::deque<Clients::value_type*> turns{};  // those whose next job may run
        std::size_t share = 0;
        std::size_t queued = 0;
        std::size_t runnable = 0;  // of those that are queued
        std::size_t idle = 0;
        std::size_t alive = 0;
        bool stopping = false;
    };
    static std::size_t runnable(State const& state, Client const& client) noexcept;
    template <class F>
    static void change(State& state, Clients::value_type& client, F const& how);
    static void work(State& state);
    static void run_next(State& state, std::unique_lock<std::mutex>& lock);

    std::size_t max_threads_;
    std::size_t max_queued_;
    std::shared_ptr<State> state_;  // shared with threads that may be left behind
};

}  // namespace lanyard::server
