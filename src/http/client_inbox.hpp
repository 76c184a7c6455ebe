// ClientInbox: what has come over all of a client's HTTP connections, until the session takes it.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/rpc/frame.hpp"

namespace lanyard::http {

/// Not thread-safe.
class ClientInbox {
public:
    void add(std::string_view message);
    void add_failure(std::int64_t request, Error error);
    void add_renewal() { entries_.push_back({rpc::Frame::Kind::renewed, 0, 0}); }

    bool empty() const noexcept { return entries_.empty(); }
    /// Messages, failures and renewals that nobody has taken.
    std::size_t count() const noexcept { return entries_.size(); }
    /// Bytes of messages that nobody has taken.
    std::size_t bytes() const noexcept { return text_.size(); }

    /// All there is, valid until the next call.
    std::span<rpc::Frame const> take();

private:
    struct Entry {
        rpc::Frame::Kind kind;
        std::size_t begin;  // of a message in the text
        std::size_t size;   // of a message; of a failure its index
    };

    std::string text_;
    std::vector<Entry> entries_;
    std::deque<rpc::RequestFailure> failures_;
    // What was taken last.
    std::string taken_text_;
    std::deque<rpc::RequestFailure> taken_failures_;
    std::vector<rpc::Frame> frames_;
};

}  // namespace lanyard::http
