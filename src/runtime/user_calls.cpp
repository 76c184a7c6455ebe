#include "runtime/user_calls.hpp"

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include "runtime/lane.hpp"
#include "runtime/loop.hpp"
#include "runtime/post.hpp"

namespace lanyard::runtime {

UserCalls::UserCalls(boost::asio::any_io_executor executor, Limits limits)
    : executor_(std::move(executor)),
      user_executor_(runtime::user_executor(executor_)),
      limits_(limits) {}

std::shared_ptr<UserCalls> UserCalls::make(boost::asio::any_io_executor const& executor,
                                           Limits limits) {
    if (Loop::of(executor) == nullptr) return nullptr;
    return std::make_shared<UserCalls>(executor, limits);
}

std::size_t UserCalls::push(std::function<void()> call, std::size_t bytes) {
    std::size_t dropped = 0;
    std::lock_guard const lock(mutex_);
    auto const is_full = [&] {
        return waiting_.size() >= limits_.calls || bytes_ + bytes > limits_.bytes;
    };
    while (!waiting_.empty() && is_full()) {
        bytes_ -= waiting_.front().bytes;
        waiting_.pop_front();
        ++dropped;
    }
    waiting_.push_back({std::move(call), bytes});
    bytes_ += bytes;
    if (!std::exchange(running_, true)) schedule();
    return dropped;
}

bool UserCalls::idle() const {
    std::lock_guard const lock(mutex_);
    return !running_;
}

void UserCalls::schedule() {
    auto const work =
        boost::asio::prefer(executor_, boost::asio::execution::outstanding_work.tracked);
    runtime::post_always(user_executor_, [self = shared_from_this(), work] { self->make_next(); });
}

void UserCalls::make_next() {
    std::function<void()> call;
    {
        std::lock_guard const lock(mutex_);
        call = std::move(waiting_.front().call);
        bytes_ -= waiting_.front().bytes;
        waiting_.pop_front();
    }
    call();
    call = nullptr;
    std::lock_guard const lock(mutex_);
    if (!waiting_.empty()) {
        schedule();
        return;
    }
    running_ = false;
    runtime::post_always(executor_, [self = shared_from_this()] {
        if (self->on_idle_) self->on_idle_();
    });
}

}  // namespace lanyard::runtime
