// WorkerPool: threads for handlers that may block, shared fairly among clients.
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
#include "lanyard/peer_info.hpp"

namespace lanyard::server {

/// Returns the name by which the worker pool distinguishes clients.
inline std::string_view client_name(PeerInfo const& peer) noexcept {
    if (!peer.identity.empty()) return peer.identity;
    return peer.session_id.empty() ? peer.address : peer.session_id;
}

/// Starts its threads as they are needed. A client whose jobs block occupies only its own share of
/// the threads, so that jobs of other clients still run. Thread-safe.
class WorkerPool {
public:
    struct Limits {
        /// The maximum number of jobs of one client that run concurrently. 0: the number of cores,
        /// but at least four.
        std::size_t share = 0;
        /// The maximum number of threads for all clients together; at least `share`.
        std::size_t max_threads = 64;
        /// The maximum number of waiting jobs of all clients together. One client may have at most
        /// half of this number.
        std::size_t max_queued = 1'000;
    };

    explicit WorkerPool(Limits const& limits);
    /// Same as stop(), without waiting.
    ~WorkerPool() { stop(Duration(0)); }
    WorkerPool(WorkerPool const&) = delete;
    WorkerPool& operator=(WorkerPool const&) = delete;

    /// Runs the job of this client on one of the threads. The jobs of a client start in the order
    /// in which they were submitted; clients take turns. Returns false if too many jobs are
    /// waiting, or no thread can be started.
    bool submit(std::string_view client, std::function<void()> job);

    /// Drops queued jobs and waits for running ones, at most for `timeout`. Jobs that take longer
    /// continue; their threads end when the jobs do.
    void stop(Duration timeout);

private:
    using Job = std::function<void()>;
    struct ClientJobs {
        std::deque<Job> waiting{};
        std::size_t running = 0;
        std::string const* name = nullptr;
        bool in_turn = false;  // whether the client is in State::turns
        ClientJobs* next_in_turn = nullptr;
    };
    /// A queue of clients. It needs no memory, so a thread that adds a client cannot fail.
    class Turns {
    public:
        void add(ClientJobs& client) noexcept {
            client.in_turn = true;
            client.next_in_turn = nullptr;
            (first_ != nullptr ? last_->next_in_turn : first_) = &client;
            last_ = &client;
        }
        ClientJobs& take() noexcept {
            auto& client = *first_;
            first_ = client.next_in_turn;
            client.in_turn = false;
            return client;
        }
        void clear() noexcept { first_ = nullptr; }

    private:
        ClientJobs* first_ = nullptr;
        ClientJobs* last_ = nullptr;
    };
    using Clients = std::unordered_map<std::string, ClientJobs>;
    struct State {
        std::mutex mutex{};
        std::condition_variable work{};
        std::condition_variable ended{};
        Clients clients{};  // clients with jobs
        Turns turns{};      // clients whose next job may run
        std::size_t share = 0;
        std::size_t queued = 0;
        std::size_t runnable = 0;  // the number of queued jobs that may start now
        std::size_t idle = 0;
        std::size_t alive = 0;
        bool stopping = false;
    };
    bool start_thread();
    static std::size_t runnable(State const& state, ClientJobs const& client) noexcept;
    template <class F>
    static void change(State& state, ClientJobs& held, F const& how);
    static void work(State& state);
    static void run_next(State& state, std::unique_lock<std::mutex>& lock);

    std::size_t max_threads_;
    std::size_t max_queued_;
    std::shared_ptr<State> state_;  // shared with threads that may outlive the pool
};

}  // namespace lanyard::server
