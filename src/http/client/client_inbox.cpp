#include "http/client/client_inbox.hpp"

#include <utility>

namespace lanyard::http {

void ClientInbox::add(std::string_view message, std::uint64_t origin) {
    entries_.push_back({rpc::Frame::Kind::message, text_.size(), message.size(), origin});
    text_.append(message);
}

void ClientInbox::add_failure(std::int64_t request, Error error) {
    entries_.push_back({rpc::Frame::Kind::failed, 0, failures_.size()});
    failures_.push_back({request, std::move(error)});
}

std::span<rpc::Frame const> ClientInbox::take() {
    taken_text_.clear();
    taken_text_.swap(text_);
    taken_failures_.clear();
    taken_failures_.swap(failures_);
    frames_.clear();
    for (auto const& entry : entries_) {
        rpc::Frame frame{entry.kind, {}, entry.origin};
        if (entry.kind == rpc::Frame::Kind::message) {
            frame.text = std::string_view(taken_text_).substr(entry.begin, entry.size);
        } else if (entry.kind == rpc::Frame::Kind::failed) {
            frame.failure = &taken_failures_[entry.size];
        }
        frames_.push_back(frame);
    }
    entries_.clear();
    return frames_;
}

}  // namespace lanyard::http
