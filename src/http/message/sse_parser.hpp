// SseParser: parses server-sent events (WHATWG HTML, section 9.2.6 "Interpreting an event stream").
// No I/O: bytes in, events out.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "jsonrpc/framing.hpp"

namespace lanyard::http {

/// An event of a stream. Its views are valid until the next call of next(), feed() or restart().
struct SseEvent {
    std::string_view type;  ///< the event's name; "message" if it has none
    std::string_view data;  ///< the event's data lines, joined with LF
    std::string_view id;    ///< the last id of the stream, from this event or an earlier one

    bool operator==(SseEvent const&) const = default;
};

/// Splits an event stream into events. Data that arrives in one piece on one line is not copied.
///
///     parser.feed(bytes);
///     while (auto event = parser.next()) ...
///     if (parser.failed()) ...
class SseParser {
public:
    static constexpr std::size_t default_max_bytes = 16 * 1024 * 1024;
    /// The maximum size of an id and of an event name. Both are stored, and the client sends the
    /// last id back in a header.
    static constexpr std::size_t max_name_bytes = 4096;

    /// `max_event_bytes` limits the data of an event, and each line that is not a comment.
    explicit SseParser(std::size_t max_event_bytes = default_max_bytes);

    /// Sets the next bytes of the stream. The bytes must stay valid until next() returns nullopt.
    void feed(std::string_view bytes) noexcept;
    std::optional<SseEvent> next();

    /// Whether an event exceeded the limit. If so, next() returns no more events of this stream.
    bool failed() const noexcept { return failed_; }

    /// Prepares for the same stream on a new connection: drops incomplete input, but keeps the last
    /// event id and the retry time.
    void restart() noexcept;

    /// The value for Last-Event-ID; empty if there is none.
    std::string const& last_event_id() const noexcept { return last_event_id_; }
    /// The reconnection time that the stream has set.
    std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

    /// The number of bytes stored for an incomplete event.
    std::size_t buffered() const noexcept { return line_.size() + data_.size(); }

private:
    struct Line {
        std::string_view text;
        bool in_input;  // whether the text is a view into the input, not into line_
    };

    std::optional<Line> next_line();
    bool fits(std::size_t more) noexcept;
    void take_field(Line line);
    void take_data(std::string_view value, bool in_input);
    void keep_data();
    std::optional<SseEvent> dispatch() noexcept;
    void release() noexcept;

    std::size_t max_bytes_;
    std::string_view input_;
    // position_ is the offset of the next unread byte. next_lf_ and next_cr_ are the offsets of the
    // next LF and the next CR, or npos. Each of these characters is searched for again only when
    // position_ has passed its stored offset, so each byte is examined at most twice.
    std::size_t position_ = 0;
    std::size_t next_lf_ = 0;
    std::size_t next_cr_ = 0;

    rpc::PartialMessage line_;    // the part of the current line that was fed earlier
    rpc::PartialMessage data_;    // the event's data, if it had to be copied
    std::string_view data_view_;  // the event's data, if it is still a view into the input
    bool has_data_ = false;
    std::string type_;
    std::string id_;  // id of the current event; becomes last_event_id_ when the event ends
    bool has_id_ = false;
    std::string last_event_id_;
    std::optional<std::chrono::milliseconds> retry_;

    bool first_line_ = true;
    bool in_comment_ = false;
    bool skip_lf_ = false;  // the last line ended with CR: an LF that follows is skipped
    bool line_used_ = false;
    bool delivered_ = false;
    bool failed_ = false;
};

}  // namespace lanyard::http
