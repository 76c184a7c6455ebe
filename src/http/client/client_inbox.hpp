// ClientInbox: messages received over all HTTP connections of a client, until the session takes
// them.
#pragma once

#include <cstddef>
#include <cstdint>
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
    /// `origin` becomes Frame::origin: the id of the request on whose stream the message arrived,
    /// or 0.
    void add(std::string_view message, std::uint64_t origin = 0);
    void add_failure(std::int64_t request, Error error);
    void add_renewal() { entries_.push_back({rpc::Frame::Kind::renewed, 0, 0}); }

    bool empty() const noexcept { return entries_.empty(); }
    /// Number of messages, failures and renewals that have not been taken.
    std::size_t count() const noexcept { return entries_.size(); }
    /// Bytes of messages that have not been taken.
    std::size_t bytes() const noexcept { return text_.size(); }

    /// Takes all entries. The frames are valid until the next call of take().
    std::span<rpc::Frame const> take();

private:
    struct Entry {
        rpc::Frame::Kind kind;
        std::size_t begin;  // offset of a message in the text
        std::size_t size;   // size of a message, or index of a failure
        std::uint64_t origin = 0;
    };

    std::string text_;
    std::vector<Entry> entries_;
    std::deque<rpc::RequestFailure> failures_;
    // The entries taken last.
    std::string taken_text_;
    std::deque<rpc::RequestFailure> taken_failures_;
    std::vector<rpc::Frame> frames_;
};

}  // namespace lanyard::http
