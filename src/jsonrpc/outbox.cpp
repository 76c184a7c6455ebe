#include "lanyard/rpc/outbox.hpp"

#include <algorithm>

namespace lanyard::rpc {

void Outbox::consume(std::size_t bytes) noexcept {
    sent_ += bytes;
    while (first_ < ends_.size() && ends_[first_].at <= sent_) {
        first_details_ += ends_[first_++].detailed ? 1 : 0;
    }
    if (empty() && bytes_.size() == sent_) clear();
}

void Outbox::pop() noexcept {
    sent_ = ends_[first_].at;
    first_details_ += ends_[first_++].detailed ? 1 : 0;
    if (empty() && bytes_.size() == sent_) clear();
}

void Outbox::clear() noexcept {
    // Larger buffers are freed, so that a long-lived connection does not keep the memory that a
    // rare large message needed.
    constexpr std::size_t worth_keeping = std::size_t{64} * 1024;
    if (bytes_.capacity() > worth_keeping) {
        // Swapping frees the memory; assigning an empty string would not.
        std::string().swap(bytes_);
    } else {
        bytes_.clear();
    }
    if (ends_.capacity() > worth_keeping / sizeof(End)) {
        ends_ = {};
    } else {
        ends_.clear();
    }
    if (names_.capacity() > worth_keeping) {
        std::string().swap(names_);
    } else {
        names_.clear();
    }
    details_.clear();
    first_details_ = 0;
    first_ = 0;
    sent_ = 0;
}

void Outbox::keep_details(Route const& route) {
    auto const at = names_.size();
    names_.append(route.method).append(route.name);
    // Makes room for the message first: without the message, the entry in details_ would be taken
    // for that of the next one.
    if (ends_.size() == ends_.capacity()) ends_.reserve(std::max<std::size_t>(1, 2 * ends_.size()));
    details_.push_back({route.id, route.version, at, route.method.size(), route.name.size()});
}

void Outbox::add_details(Route& route) const noexcept {
    auto const& details = details_[first_details_];
    auto const names = std::string_view(names_).substr(details.method_at);
    route.method = names.substr(0, details.method_size);
    route.id = details.id;
    route.name = names.substr(details.method_size, details.name_size);
    route.version = details.version;
}

}  // namespace lanyard::rpc
