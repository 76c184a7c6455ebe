#include "server/worker_pool.hpp"

#include <algorithm>
#include <utility>

namespace lanyard::server {

WorkerPool::WorkerPool(std::size_t threads, std::size_t max_queued)
    : max_threads_(threads != 0 ? threads
                                : std::max<std::size_t>(4, std::thread::hardware_concurrency())),
      max_queued_(max_queued),
      state_(std::make_shared<State>()) {}

void WorkerPool::stop(Duration patience) {
    std::deque<std::function<void()>> dropped;  // outlives the lock: jobs own whatever they like
    std::unique_lock lock(state_->mutex);
    state_->stopping = true;
    dropped.swap(state_->queue);
    state_->work.notify_all();
    state_->ended.wait_for(lock, patience, [this] { return state_->alive == 0; });
}

bool WorkerPool::submit(std::function<void()> job) {
    std::unique_lock lock(state_->mutex);
    if (state_->stopping || state_->queue.size() >= max_queued_) return false;
    state_->queue.push_back(std::move(job));
    if (state_->idle >= state_->queue.size() || state_->alive >= max_threads_) {
        lock.unlock();
        state_->work.notify_one();
        return true;
    }
    std::thread thread([state = state_] { work(*state); });
    ++state_->alive;
    thread.detach();
    return true;
}

void WorkerPool::work(State& state) {
    std::unique_lock lock(state.mutex);
    for (;;) {
        ++state.idle;
        state.work.wait(lock, [&] { return state.stopping || !state.queue.empty(); });
        --state.idle;
        if (state.stopping) break;
        auto job = std::move(state.queue.front());
        state.queue.pop_front();
        lock.unlock();
        job();
        job = nullptr;
        lock.lock();
    }
    --state.alive;
    state.ended.notify_all();
}

}  // namespace lanyard::server
