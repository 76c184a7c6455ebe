// CallCancellation: informs a handler that its call was cancelled.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "server/call/blocking_wait.hpp"

namespace lanyard::server {

/// The cancellation state of one Call object: whether it was cancelled, its stop token, and the
/// BlockingWait in which its handler blocks, if any. Any thread may call any function, except
/// clear().
class CallCancellation {
public:
    bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
    /// Marks the call as cancelled, requests a stop through the stop token, and cancels the
    /// BlockingWait in which the handler blocks, if any.
    void request();
    /// Same as request(), but does not request a stop through the stop token.
    void end_wait() noexcept;

    std::stop_token token();

    /// Must be called before the handler blocks its thread in `wait`. Stores `wait`, so that
    /// request() and end_wait() can cancel it. If the call has already been cancelled, cancels
    /// `wait` at once.
    void begin_wait(std::shared_ptr<BlockingWait> wait);
    void clear_wait();
    /// Whether the handler blocks its thread in a BlockingWait until a task has ended. This is the
    /// case only for handlers that are plain functions.
    bool is_waiting();

    /// Resets this object for the next request that the Call object serves.
    void clear() noexcept {
        if (stop_) stop_.reset();
        requested_.store(false, std::memory_order_relaxed);
    }

private:
    std::atomic<bool> requested_ = false;
    std::mutex mutex_;
    std::optional<std::stop_source> stop_;  // created by token()
    std::shared_ptr<BlockingWait> wait_;
};

}  // namespace lanyard::server
