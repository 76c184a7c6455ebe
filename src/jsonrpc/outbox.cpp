#include "lanyard/rpc/outbox.hpp"

namespace lanyard::rpc {

void Outbox::consume(std::size_t bytes) noexcept {
    sent_ += bytes;
    while (first_ < ends_.size() && ends_[first_].at <= sent_) ++first_;
    if (empty() && bytes_.size() == sent_) clear();
}

void Outbox::pop() noexcept {
    sent_ = ends_[first_++].at;
    if (empty() && bytes_.size() == sent_) clear();
}

void Outbox::clear() noexcept {
    // Memory beyond this is freed, so that a long connection does not keep it after a rare large
    // message.
    constexpr std::size_t worth_keeping = std::size_t{64} * 1024;
    if (bytes_.capacity() > worth_keeping) {
        // Unlike an assignment, this frees the memory.
        std::string().swap(bytes_);
    } else {
        bytes_.clear();
    }
    if (ends_.capacity() > worth_keeping / sizeof(End)) {
        ends_ = {};
    } else {
        ends_.clear();
    }
    first_ = 0;
    sent_ = 0;
}

}  // namespace lanyard::rpc
