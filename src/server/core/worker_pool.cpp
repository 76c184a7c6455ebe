#include "server/core/worker_pool.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace lanyard::server {

WorkerPool::WorkerPool(Limits const& limits)
    : max_queued_(limits.max_queued), state_(std::make_shared<State>()) {
    state_->share = limits.share != 0
                        ? limits.share
                        : std::max<std::size_t>(4, std::thread::hardware_concurrency());
    max_threads_ = std::max(limits.max_threads, state_->share);
}

void WorkerPool::stop(Duration timeout) {
    std::unique_lock lock(state_->mutex);
    state_->stopping = true;
    state_->turns.clear();
    state_->queued = state_->runnable = 0;
    for (auto at = state_->clients.begin(); at != state_->clients.end();) {
        auto& waiting = at->second.waiting;
        if (waiting.empty()) {
            ++at;
            continue;
        }
        // Destroyed while the lock is released, because destroying a job may run any code.
        auto dropped = std::move(waiting.front());
        waiting.pop_front();
        lock.unlock();
        dropped = nullptr;
        lock.lock();
        at = state_->clients.begin();
    }
    state_->work.notify_all();
    state_->ended.wait_for(lock, timeout, [this] { return state_->alive == 0; });
}

bool WorkerPool::submit(std::string_view client, Job job) {
    std::unique_lock lock(state_->mutex);
    if (state_->stopping || state_->queued >= max_queued_) return false;
    // The first thread is started before the job is queued, so that no job is left without a
    // thread.
    bool const first = state_->alive == 0;
    if (first && !start_thread()) return false;
    auto& entry = *state_->clients.try_emplace(std::string(client)).first;
    if (entry.second.waiting.size() >= std::max<std::size_t>(1, max_queued_ / 2)) return false;
    entry.second.name = &entry.first;
    change(*state_, entry.second,
           [&](ClientJobs& held) { held.waiting.push_back(std::move(job)); });
    ++state_->queued;
    if (first) return true;
    if (state_->idle >= state_->runnable || state_->alive >= max_threads_) {
        lock.unlock();
        state_->work.notify_one();
        return true;
    }
    // If no thread can be started, the running threads take the job.
    start_thread();
    return true;
}

// Returns false if the system has no thread or no memory left. Called with the lock held.
bool WorkerPool::start_thread() {
    try {
        std::thread([state = state_] { work(*state); }).detach();
    } catch (std::exception const&) {
        return false;
    }
    ++state_->alive;
    return true;
}

// Returns how many jobs of the client may be started now.
std::size_t WorkerPool::runnable(State const& state, ClientJobs const& client) noexcept {
    return std::min(client.waiting.size(), state.share - client.running);
}

// Changes the state of a client. If the client then has a job that may start, adds the client to
// State::turns.
template <class F>
void WorkerPool::change(State& state, ClientJobs& held, F const& how) {
    auto const before = runnable(state, held);
    how(held);
    auto const after = runnable(state, held);
    state.runnable = state.runnable - before + after;
    if (after == 0 || held.in_turn) return;
    state.turns.add(held);
}

void WorkerPool::run_next(State& state, std::unique_lock<std::mutex>& lock) {
    auto& client = state.turns.take();
    Job job;
    change(state, client, [&](ClientJobs& held) {
        job = std::move(held.waiting.front());
        held.waiting.pop_front();
        ++held.running;
    });
    --state.queued;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    change(state, client, [](ClientJobs& held) { --held.running; });
    if (client.running == 0 && client.waiting.empty()) {
        state.clients.erase(state.clients.find(*client.name));
    }
}

void WorkerPool::work(State& state) {
    std::unique_lock lock(state.mutex);
    for (;;) {
        ++state.idle;
        auto const has_work = [&] { return state.stopping || state.runnable > 0; };
        // Threads beyond one client's share exist only to replace blocked threads, so they end if
        // there is no work.
        bool const spare = state.alive > state.share;
        if (!spare) state.work.wait(lock, has_work);
        --state.idle;
        if (!has_work() || state.stopping) break;
        run_next(state, lock);
    }
    --state.alive;
    state.ended.notify_all();
}

}  // namespace lanyard::server
