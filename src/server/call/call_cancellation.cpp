#include "server/call/call_cancellation.hpp"

#include <utility>

namespace lanyard::server {

void CallCancellation::request() {
    requested_ = true;
    std::optional<std::stop_source> stop;
    std::shared_ptr<BlockingWait> wait;
    {
        std::lock_guard const lock(mutex_);
        stop = stop_;
        wait = wait_;
    }
    if (stop) stop->request_stop();
    if (wait) wait->cancel();
}

void CallCancellation::end_wait() noexcept {
    requested_ = true;
    std::lock_guard const lock(mutex_);
    if (wait_) wait_->cancel();
}

std::stop_token CallCancellation::token() {
    std::lock_guard const lock(mutex_);
    if (!stop_) {
        stop_.emplace();
        if (requested_) stop_->request_stop();
    }
    return stop_->get_token();
}

void CallCancellation::begin_wait(std::shared_ptr<BlockingWait> wait) {
    {
        std::lock_guard const lock(mutex_);
        wait_ = wait;
    }
    // If the cancellation is requested from now on, request() cancels wait_. If it was requested
    // earlier, wait_ was not set yet, so `wait` is cancelled here.
    if (requested_) wait->cancel();
}

void CallCancellation::clear_wait() {
    std::lock_guard const lock(mutex_);
    wait_.reset();
}

bool CallCancellation::is_waiting() {
    std::lock_guard const lock(mutex_);
    return wait_ != nullptr;
}

}  // namespace lanyard::server
