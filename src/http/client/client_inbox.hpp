// ClientInbox: stores the messages received on all HTTP connections of a client until the client's
// session takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/envelope.hpp"
#include "lanyard/rpc/frame.hpp"

namespace lanyard::http {

/// Every message is parsed here. The frames of the first few messages contain the parsed envelopes,
/// so that the session does not have to parse the texts again. Not thread-safe.
class ClientInbox {
public:
    /// Parses a message, or a batch of messages, without adding it. The returned reference, text()
    /// and batch() are valid until add() or read() is called.
    rpc::EnvelopeReader::Item const& read(std::string_view text);
    rpc::EnvelopeReader::Item const& read(std::string&& text);
    /// The text that was read last.
    std::string_view text() const noexcept { return draft_->text; }
    /// The messages in the text that was read last, if it is a batch.
    std::vector<rpc::EnvelopeReader::Item> const& batch() const noexcept {
        return draft_->reader.batch();
    }
    /// Adds the text that was read last; it need not be a valid message. `origin` becomes
    /// Frame::origin: the id of the request on whose stream the message arrived, or 0.
    void add(std::uint64_t origin = 0);

    void add_failure(std::int64_t request, Error error);
    void add_renewal() { entries_.push_back({rpc::Frame::Kind::renewed}); }

    bool empty() const noexcept { return entries_.empty(); }
    /// Number of messages, failures and renewals that have not been taken.
    std::size_t count() const noexcept { return entries_.size(); }
    /// Bytes of messages that have not been taken.
    std::size_t bytes() const noexcept { return bytes_; }

    /// Takes all entries. The frames are valid until the next call of take().
    std::span<rpc::Frame const> take();

private:
    // The text of one message, its parser and its envelope. The envelope refers to the text and to
    // the parser's memory.
    struct Parsed {
        std::string text;
        rpc::EnvelopeReader reader;
        std::optional<rpc::EnvelopeReader::Item> item;
    };
    struct Entry {
        rpc::Frame::Kind kind;
        std::size_t begin = 0;           // where the message begins in text_
        std::size_t size = 0;            // size of the message; for a failure, its index in
                                         // failures_
        Parsed const* parsed = nullptr;  // if set, contains the message; otherwise text_ does
        std::uint64_t origin = 0;
    };

    Parsed& new_draft();
    rpc::EnvelopeReader::Item const& parse_draft();
    bool may_keep_parsed() const noexcept;

    std::unique_ptr<Parsed> draft_;  // the text that was read last, until add()
    std::vector<std::unique_ptr<Parsed>> parsed_;
    std::string text_;  // the messages whose envelopes are not kept
    std::size_t bytes_ = 0;
    std::vector<Entry> entries_;
    std::deque<rpc::RequestFailure> failures_;
    // The data that the frames of the last take() refer to.
    std::vector<std::unique_ptr<Parsed>> taken_parsed_;
    std::string taken_text_;
    std::deque<rpc::RequestFailure> taken_failures_;
    std::vector<rpc::Frame> frames_;
    std::vector<std::unique_ptr<Parsed>> spare_;  // kept to be reused
};

}  // namespace lanyard::http
