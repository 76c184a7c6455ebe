// Reads JSON-RPC envelopes: every rule about the shape of a message, none about its payload.
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
    /// Accept an array of messages. Only protocol version 2025-03-26 has batches.
    bool batches = false;
    std::size_t max_batch = 100;
};

/// Turns texts into envelopes, one text at a time, reusing its memory. Not safe for concurrent use.
class EnvelopeReader {
public:
    using Item = Result<Envelope, Malformed>;

    /// Reads one text, which must outlive the envelope; the envelope ends with the next read. If
    /// its kind is MessageKind::batch, the messages are in batch().
    ///
    /// In the payload, a lone surrogate escape is read as U+FFFD and an integer beyond 64 bits as a
    /// real number (repair_payload()); the views then show the text with these replaced.
    Item read(std::string_view text, ReadOptions const& options = {});

    /// The messages of the last batch in their order; each is judged alone.
    std::vector<Item> const& batch() const noexcept { return batch_; }

    /// Gives memory back that a large text has left behind.
    void shrink() noexcept;

    /// Finds the structure of several texts at once, so that reading them goes quicker. They lie in
    /// one piece of memory, each on a line of its own, and stay there as they are until
    /// forget_ahead().
    void look_ahead(std::string_view lines) {
        if (!lines.empty()) parser_.look_ahead(lines);
    }
    /// They were read, or will not be.
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
    std::string repaired_;             // a text whose payload was repaired
    std::vector<Item> batch_;
};

}  // namespace lanyard::rpc
