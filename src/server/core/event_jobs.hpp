// EventJobs: counts the jobs that run handlers of clients' events.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace lanyard::server {

/// Thread-safe.
class EventJobs {
public:
    /// To be called before a job is passed to a worker thread.
    void begin() {
        std::lock_guard const lock(mutex_);
        ++count_;
    }
    /// To be called when a job has ended, and also if no worker thread accepts the job.
    void end() noexcept {
        std::lock_guard const lock(mutex_);
        if (--count_ == 0) idle_.notify_all();
    }
    /// Waits until there is no job, at most until the given time.
    void wait(std::chrono::steady_clock::time_point until) {
        std::unique_lock lock(mutex_);
        idle_.wait_until(lock, until, [this] { return count_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable idle_;
    std::size_t count_ = 0;
};

}  // namespace lanyard::server
