// Cuts byte streams into messages: newline-delimited (the stdio transport of every revision) and,
// for peers of the editor world, Content-Length headers. No I/O: bytes in, frames out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/rpc/frame.hpp"
#include "rpc/salvage.hpp"

namespace lanyard::rpc {

/// Bytes of a message that has begun but not ended. Grows by doubling and never beyond its limit;
/// gives large memory back once it is empty.
class PartialMessage {
public:
    explicit PartialMessage(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}

    /// The caller has made sure that the bytes fit.
    void append(std::string_view bytes);
    void clear() noexcept;
    std::string_view view() const noexcept { return {bytes_.data(), bytes_.size()}; }
    std::size_t size() const noexcept { return bytes_.size(); }
    std::size_t capacity() const noexcept { return bytes_.capacity(); }

private:
    std::vector<char> bytes_;  // unlike a string it reserves exactly what it is told
    std::size_t max_bytes_;
};

/// Newline-delimited messages. LF ends a line, one CR before it belongs to the line's end; lines of
/// nothing but white space are skipped. A byte order mark before the first line is ignored.
///
/// A line beyond the limit is reported once and dropped up to its end. If it begins as a message
/// does, its id is looked for, so that whoever waits for an answer gets one: it is reported as soon
/// as the id is known, at the end of the line, or after as many bytes again as the limit allows.
///
///     reader.feed(bytes);
///     while (auto frame = reader.next()) ...
class LineReader {
public:
    static constexpr std::size_t default_max_bytes = 16 * 1024 * 1024;

    /// The limit counts the bytes of a message without its line end.
    explicit LineReader(std::size_t max_bytes = default_max_bytes) noexcept;

    /// Takes the next bytes of the stream. They must stay in place until next() returns nothing;
    /// what was left of earlier ones must have been taken so.
    void feed(std::string_view bytes) noexcept { input_ = bytes; }

    /// The next frame: a view into the bytes fed where the whole line is in them.
    std::optional<Frame> next();

    /// The stream has ended: a last message that lacks its line end.
    std::optional<Frame> finish();

    /// Bytes held for a message that is not complete.
    std::size_t buffered() const noexcept { return partial_.size(); }
    /// Memory held for such bytes.
    std::size_t capacity() const noexcept { return partial_.capacity(); }

private:
    void end_line(std::string_view tail, std::optional<Frame>& frame);
    bool fits(std::string_view tail) const noexcept;
    /// Drops a part of a line that is too long. True if it is to be reported now.
    bool skip(std::string_view part, bool complete);
    void report_too_long(std::optional<Frame>& frame);
    std::string_view without_mark(std::string_view line) noexcept;
    void take(std::string_view line, std::optional<Frame>& frame) noexcept;
    void release() noexcept;

    std::string_view input_;
    PartialMessage partial_;
    std::size_t max_bytes_;
    // A line that is too long.
    struct Skipped {
        RemainsScanner scanner;
        Remains remains;
        std::size_t bytes = 0;
        bool reported = false;
    };
    std::unique_ptr<Skipped> skipped_;
    bool skipping_ = false;   // inside such a line
    bool delivered_ = false;  // the last frame is a view into partial_
    bool started_ = false;    // the first line has begun
};

/// Messages preceded by a header block with their length:
/// `Content-Length: 17\r\n\r\n` and seventeen bytes. Parsed strictly, since a stream that has lost
/// its place can only be closed: after a frame that is not a message there are no more.
class ContentLengthReader {
public:
    static constexpr std::size_t max_header_bytes = 4096;

    explicit ContentLengthReader(std::size_t max_bytes = LineReader::default_max_bytes) noexcept;

    /// As LineReader::feed.
    void feed(std::string_view bytes) noexcept { input_ = bytes; }
    std::optional<Frame> next();
    /// The stream has ended; a broken frame where it did so inside a message.
    std::optional<Frame> finish();

    std::size_t buffered() const noexcept { return partial_.size(); }
    std::size_t capacity() const noexcept { return partial_.capacity(); }

private:
    enum class Stage : std::uint8_t { header, body, closed };

    std::optional<Frame> read_header();
    std::optional<Frame> read_body();
    std::optional<Frame> take_header_line(std::string_view line);
    Frame close(Frame::Kind kind, std::string_view text) noexcept;
    void release() noexcept;

    std::string_view input_;
    PartialMessage partial_;
    std::size_t max_bytes_;
    std::size_t header_bytes_ = 0;       // of the present block, so far
    std::optional<std::size_t> length_;  // of the message the present block announces
    Stage stage_ = Stage::header;
    bool delivered_ = false;
};

/// Messages that lie in one piece of memory, each on a line of its own.
struct Lines {
    std::size_t count = 1;       ///< how many of the frames they are
    std::string_view text = {};  ///< all of them; empty where there is only one
};
/// The first of these frames, of which there is at least one, and those that follow it so closely.
Lines first_lines(std::span<Frame const> frames) noexcept;

/// Appends the header block of a message of this size; the message follows.
void append_content_length(std::string& out, std::size_t message_size);

}  // namespace lanyard::rpc
