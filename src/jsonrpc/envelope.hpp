// Reads JSON-RPC envelopes (the outer parts of messages): applies all rules about the form of a
// message, but none about its payload.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/result.hpp"
#include "lanyard/rpc/message.hpp"

namespace lanyard::rpc {

struct ReadOptions {
    json::ParseOptions json = {};
    /// Whether to accept an array of messages. Only protocol version 2025-03-26 has batches.
    bool batches = false;
    std::size_t max_batch = 100;
};

/// Parses messages into envelopes, one at a time, and reuses the memory for the next message. Not
/// thread-safe.
class EnvelopeReader {
public:
    using Item = Result<Envelope, Malformed>;

    /// Reads the text of a message or a batch. The text must outlive the envelope; the next read
    /// invalidates the envelope. If the envelope's kind is MessageKind::batch, the messages are in
    /// batch().
    ///
    /// In the payload, a lone surrogate escape is read as U+FFFD and an integer beyond 64 bits as a
    /// real number (see repair_payload()); the views in the envelope then refer to the repaired
    /// copy of the text.
    Item read(std::string_view text, ReadOptions const& options = {});

    /// The messages of the batch that was read last, in their order. Each was checked separately,
    /// so some may be valid and others not.
    std::vector<Item> const& batch() const noexcept { return batch_; }

    /// Frees the memory that was needed to read a large message.
    void shrink() noexcept;

    /// Indexes several messages in one pass, so that reading them later is faster. The messages lie
    /// in one buffer, one per line. The buffer must stay unchanged until forget_ahead() is called.
    void look_ahead(std::string_view lines) {
        if (!lines.empty()) parser_.look_ahead(lines);
    }
    /// Ends the look-ahead. Must be called after look_ahead(), even if some of its messages were
    /// not read.
    void forget_ahead() noexcept { parser_.forget(); }

private:
    Item read_again(std::string_view text, json::ParseError const& error,
                    ReadOptions const& options);
    Item read_root(json::View root, ReadOptions const& options);
    Item read_message(json::View const& message);
    Item read_batch(json::View array, ReadOptions const& options);
    std::string_view characters(json::View string);

    json::TextParser parser_;
    std::deque<std::string> decoded_;  // method names that were written with escapes
    std::string repaired_;             // the last message whose payload was repaired
    std::vector<Item> batch_;
};

}  // namespace lanyard::rpc
