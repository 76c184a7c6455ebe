// Server-sent events on their way in (WHATWG HTML, section 9.2.6 "Interpreting an event stream").
// No I/O: bytes in, events out.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/framing.hpp"

namespace lanyard::http {

/// Valid until the parser is called again.
struct SseEvent {
    std::string_view type;  ///< "message" where the stream names none
    std::string_view data;  ///< lines joined with LF
    std::string_view id;    ///< the last id of the stream, of this event or an earlier one

    bool operator==(SseEvent const&) const = default;
};

/// Cuts an event stream into events. Data that arrives in one piece on one line is not copied.
///
///     parser.feed(bytes);
///     while (auto event = parser.next()) ...
///     if (parser.failed()) ...
class SseParser {
public:
    static constexpr std::size_t default_max_bytes = 16 * 1024 * 1024;
    /// Ids and event names are kept and, in the case of ids, sent back in a header.
    static constexpr std::size_t max_name_bytes = 4096;

    /// The limit counts the data of an event; a line that is no comment may be as long.
    explicit SseParser(std::size_t max_event_bytes = default_max_bytes);

    /// Takes the next bytes of the stream. They must stay in place until next() returns nothing.
    void feed(std::string_view bytes) noexcept;
    std::optional<SseEvent> next();

    /// An event exceeds the limit: nothing more comes out of this stream.
    bool failed() const noexcept { return failed_; }

    /// A new connection continues: what was incomplete is dropped, id and retry stay.
    void restart() noexcept;

    /// What to send as Last-Event-ID; empty where there is none.
    std::string const& last_event_id() const noexcept { return last_event_id_; }
    /// What the stream has said about reconnecting.
    std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

    /// Bytes held for an event that is not complete.
    std::size_t buffered() const noexcept { return line_.size() + data_.size(); }

private:
    struct Line {
        std::string_view text;
        bool in_input;  // stays in place, unlike what was assembled in line_
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
    // Where the next LF and CR stand, npos where there is none; found again once passed, so that
    // each byte is searched at most twice.
    std::size_t position_ = 0;
    std::size_t next_lf_ = 0;
    std::size_t next_cr_ = 0;

    rpc::PartialMessage line_;    // the part of a line that arrived with earlier bytes
    rpc::PartialMessage data_;    // data that does not stand in the input in one piece
    std::string_view data_view_;  // data that does
    bool has_data_ = false;
    std::string type_;
    std::string id_;  // takes effect with the end of the event
    bool has_id_ = false;
    std::string last_event_id_;
    std::optional<std::chrono::milliseconds> retry_;

    bool first_line_ = true;
    bool in_comment_ = false;
    bool skip_lf_ = false;  // the line ended with a CR, which an LF may follow
    bool line_used_ = false;
    bool delivered_ = false;
    bool failed_ = false;
};

}  // namespace lanyard::http
