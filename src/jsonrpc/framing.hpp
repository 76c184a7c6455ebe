// Cuts byte streams into messages. There are two forms of streams: one message per line (the stdio
// transport of every revision), and messages with Content-Length headers (for peers that use the
// framing of the Language Server Protocol). The readers do no I/O: they get bytes and return
// frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_budget.hpp"
#include "jsonrpc/salvage.hpp"
#include "lanyard/rpc/frame.hpp"

namespace lanyard::rpc {

/// The bytes of a message that has begun but not ended. The buffer grows by doubling, up to
/// `max_bytes`; a large buffer is freed once it is empty.
class PartialMessage {
public:
    /// Buffers up to this size are kept between messages, and do not count towards the budget.
    static constexpr std::size_t kept_bytes = std::size_t{64} * 1024;

    explicit PartialMessage(std::size_t max_bytes, ByteBudget* budget = nullptr) noexcept
        : max_bytes_(max_bytes), share_(budget, kept_bytes) {}

    /// Reserves memory for `count` more bytes. Returns false if the budget does not allow it.
    bool make_room(std::size_t count);
    /// The caller must make sure that the buffer does not exceed `max_bytes`. If there is a budget,
    /// the caller must first call make_room(), because append() cannot report that memory was
    /// refused.
    void append(std::string_view bytes);
    void clear() noexcept;
    std::string_view view() const noexcept { return {bytes_.data(), bytes_.size()}; }
    std::size_t size() const noexcept { return bytes_.size(); }
    std::size_t capacity() const noexcept { return bytes_.capacity(); }

private:
    std::vector<char> bytes_;  // a vector, because a string may reserve more than requested
    std::size_t max_bytes_;
    BudgetShare share_;
};

/// Reads newline-delimited messages. A line ends with LF or CR LF; lines of only white space are
/// skipped. A byte order mark before the first line is ignored.
///
/// A line longer than `max_bytes` is reported once and dropped up to its end. The reader searches
/// the line for the id of the message: the id is needed to refuse a request, or to fail the request
/// that the line answers. The reader reports the line at the earliest of these moments: when the id
/// is known, at the end of the line, or when the line exceeds twice `max_bytes`. A line for which
/// the budget has no memory is dropped and reported in the same way.
///
///     reader.feed(bytes);
///     while (auto frame = reader.next()) ...
class LineReader {
public:
    static constexpr std::size_t default_max_bytes = 16 * 1024 * 1024;

    /// `max_bytes` limits the size of a message without its line end. `budget` limits the memory of
    /// several readers together and must outlive this reader; null means no limit.
    explicit LineReader(std::size_t max_bytes = default_max_bytes,
                        ByteBudget* budget = nullptr) noexcept;

    /// Sets the next bytes of the stream. The bytes must stay valid until next() returns nullopt.
    /// Before the next call of this function, next() must have returned nullopt.
    void feed(std::string_view bytes) noexcept { input_ = bytes; }

    /// Returns the next frame, or nullopt if more bytes are needed. The text of a message is a view
    /// into the fed bytes if they contain the whole line, otherwise into memory of the reader that
    /// is valid until the next call.
    std::optional<Frame> next();

    /// To be called at the end of the stream. Returns the last message if it has no line end.
    std::optional<Frame> finish();
    /// To be called instead of finish() if every message has a line end, so that bytes without a
    /// line end are no message. Frees the memory of these bytes.
    void drop_unfinished() noexcept;

    /// The number of bytes stored for an incomplete message.
    std::size_t buffered() const noexcept { return partial_.size(); }
    /// The memory reserved for an incomplete message.
    std::size_t capacity() const noexcept { return partial_.capacity(); }

private:
    void end_line(std::string_view tail, std::optional<Frame>& frame);
    bool fits(std::string_view tail) const noexcept;
    /// Reserves memory for this part of a line if the part has to be stored. Returns false if the
    /// budget does not allow it.
    bool make_room(std::string_view tail, bool complete) {
        return (complete && partial_.size() == 0) || partial_.make_room(tail.size());
    }
    /// Drops a part of a line that cannot be stored. Returns true if the line must be reported now.
    bool skip(std::string_view part, bool complete);
    void report_skipped(std::optional<Frame>& frame);
    std::string_view without_mark(std::string_view line) noexcept;
    void take(std::string_view line, std::optional<Frame>& frame) noexcept;
    void release() noexcept;

    std::string_view input_;
    PartialMessage partial_;
    std::size_t max_bytes_;
    // The state of a line that is dropped.
    struct Skipped {
        Frame::Kind why = Frame::Kind::too_long;
        RemainsScanner scanner;
        Remains remains;
        std::size_t bytes = 0;
        bool reported = false;
    };
    std::unique_ptr<Skipped> skipped_;
    bool skipping_ = false;   // the input is inside a line that is dropped
    bool delivered_ = false;  // the last frame is a view into partial_
    bool started_ = false;    // the first line has been read
};

/// Reads messages that are preceded by a header block with their length, such as
/// `Content-Length: 17\r\n\r\n` followed by 17 bytes. Parses strictly: after an error, the reader
/// cannot find the beginning of the next message. So after a frame that is not a message, no more
/// frames follow.
class ContentLengthReader {
public:
    static constexpr std::size_t max_header_bytes = 4096;

    explicit ContentLengthReader(std::size_t max_bytes = LineReader::default_max_bytes) noexcept;

    /// See LineReader::feed().
    void feed(std::string_view bytes) noexcept { input_ = bytes; }
    std::optional<Frame> next();
    /// To be called at the end of the stream. Returns a broken frame if the stream ended inside a
    /// message.
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
    std::size_t header_bytes_ = 0;       // size of the current header block so far
    std::optional<std::size_t> length_;  // length of the message that the current block announces
    Stage stage_ = Stage::header;
    bool delivered_ = false;
};

/// Messages that lie in one buffer, one per line.
struct Lines {
    std::size_t count = 1;       ///< the number of frames that lie in one buffer
    std::string_view text = {};  ///< the lines of these frames; empty if `count` is 1
};
/// Returns the longest run of frames, beginning with the first, whose texts lie one after the other
/// in memory, separated only by line breaks. There must be at least one frame.
Lines first_lines(std::span<Frame const> frames) noexcept;

/// Appends the header block for a message of this size; the caller appends the message.
void append_content_length(std::string& out, std::size_t message_size);

}  // namespace lanyard::rpc
