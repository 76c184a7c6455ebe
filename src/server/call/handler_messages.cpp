#include "server/call/handler_messages.hpp"

namespace lanyard::server {

namespace {

constexpr std::size_t max_messages = 1'000;

}  // namespace

HandlerMessages::Added HandlerMessages::add(HandlerMessage message) {
    std::lock_guard const lock(mutex_);
    bool const first = messages_.empty();
    if (messages_.size() < max_messages) {
        messages_.push_back(std::move(message));
        waiting_ = true;
        return first && !with_answer_ ? Added::first : Added::waiting;
    }
    if (!std::holds_alternative<HandlerLog>(message) &&
        !std::holds_alternative<StreamRelease>(messages_.back())) {
        std::swap(messages_.back(), message);
    }
    return std::holds_alternative<HandlerLog>(message) ? Added::log_dropped : Added::waiting;
}

std::vector<HandlerMessage> HandlerMessages::take() {
    std::vector<HandlerMessage> taken;
    std::lock_guard const lock(mutex_);
    taken.swap(messages_);
    waiting_ = false;
    return taken;
}

bool HandlerMessages::send_at_once() {
    std::lock_guard const lock(mutex_);
    with_answer_ = false;
    return waiting_;
}

}  // namespace lanyard::server
