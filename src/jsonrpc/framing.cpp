#include "jsonrpc/framing.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/ascii.hpp"

namespace lanyard::rpc {

namespace {

constexpr std::size_t first_bytes = 1024;

// `bytes` must not be empty, because memchr() must not get a null pointer.
std::size_t find(std::string_view bytes, char wanted) noexcept {
    auto const* at = static_cast<char const*>(std::memchr(bytes.data(), wanted, bytes.size()));
    return at != nullptr ? static_cast<std::size_t>(at - bytes.data()) : std::string_view::npos;
}

bool is_blank(std::string_view line) noexcept {
    return std::all_of(line.begin(), line.end(),
                       [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

std::optional<std::size_t> parse_length(std::string_view digits) noexcept {
    std::size_t value = 0;
    auto const* const end = digits.data() + digits.size();
    auto const [stop, failure] = std::from_chars(digits.data(), end, value);
    if (failure != std::errc() || stop != end) return std::nullopt;
    return value;
}

// Whether a Content-Type allows UTF-8, which all messages use. Some peers write "utf8" instead of
// "utf-8".
bool is_utf8_type(std::string_view type) noexcept {
    auto const at = type.find("charset=");
    if (at == std::string_view::npos) return true;
    auto charset = type.substr(at + 8);
    if (charset.size() >= 2 && charset.front() == '"' && charset.back() == '"') {
        charset = charset.substr(1, charset.size() - 2);
    }
    return ascii::equals_ignoring_case(charset, "utf-8") ||
           ascii::equals_ignoring_case(charset, "utf8");
}

}  // namespace

bool PartialMessage::make_room(std::size_t count) {
    auto const needed = bytes_.size() + count;
    if (needed <= bytes_.capacity()) return true;
    // Grows in powers of two, but not beyond max_bytes_.
    auto const wanted =
        std::max(needed, std::min(std::bit_ceil(std::max(needed, first_bytes)), max_bytes_));
    if (!share_.resize(wanted)) return false;
    bytes_.reserve(wanted);
    return true;
}

void PartialMessage::append(std::string_view bytes) {
    make_room(bytes.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void PartialMessage::clear() noexcept {
    bytes_.clear();
    if (bytes_.capacity() <= kept_bytes) return;
    std::vector<char>().swap(bytes_);
    share_.set(0);
}

// The buffer may hold one byte more than `max_bytes`, because the last byte of the line may be the
// CR of the line end.
LineReader::LineReader(std::size_t max_bytes, ByteBudget* budget) noexcept
    : partial_(max_bytes + 1, budget), max_bytes_(max_bytes) {}

void LineReader::release() noexcept {
    if (delivered_) partial_.clear();
    delivered_ = false;
}

/// Whether the line so far, plus `tail`, is short enough to become a message.
bool LineReader::fits(std::string_view tail) const noexcept {
    auto const size = partial_.size() + tail.size();
    if (size <= max_bytes_) return true;
    auto const last = tail.empty() ? partial_.view().back() : tail.back();
    return size == max_bytes_ + 1 && last == '\r';
}

/// Makes the line a message, unless it is blank. The frame is constructed in place: copying it
/// immediately would cause store-forwarding stalls.
void LineReader::take(std::string_view line, std::optional<Frame>& frame) noexcept {
    if (!started_) [[unlikely]]
        line = without_mark(line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank(line)) return;
    frame.emplace();
    frame->kind = Frame::Kind::message;
    frame->text = line;
}

std::string_view LineReader::without_mark(std::string_view line) noexcept {
    started_ = true;
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return line.starts_with(mark) ? line.substr(mark.size()) : line;
}

void LineReader::end_line(std::string_view tail, std::optional<Frame>& frame) {
    if (partial_.size() == 0) {
        take(tail, frame);
        return;
    }
    partial_.append(tail);
    delivered_ = true;
    take(partial_.view(), frame);
}

std::optional<Frame> LineReader::next() {
    std::optional<Frame> frame;
    release();
    while (!input_.empty()) {
        auto const end = find(input_, '\n');
        bool const complete = end != std::string_view::npos;
        auto const tail = input_.substr(0, end);
        input_.remove_prefix(complete ? end + 1 : input_.size());
        if (skipping_ || !fits(tail) || !make_room(tail, complete)) {
            if (skip(tail, complete)) {
                report_skipped(frame);
                break;
            }
            continue;
        }
        if (!complete) {
            partial_.append(tail);
            break;
        }
        end_line(tail, frame);
        if (frame) break;
        release();
    }
    return frame;
}

bool LineReader::skip(std::string_view part, bool complete) {
    if (!skipping_) {
        skipped_ = std::make_unique<Skipped>();
        skipped_->why = fits(part) ? Frame::Kind::no_room : Frame::Kind::too_long;
        skipped_->bytes = partial_.size();
        skipped_->scanner.feed(partial_.view());
        partial_.clear();
    }
    skipping_ = !complete;
    auto& line = *skipped_;
    if (line.reported) return false;
    line.bytes += part.size();
    if (!line.scanner.settled()) line.scanner.feed(part);
    return complete || line.scanner.settled() || line.bytes / 2 > max_bytes_;
}

void LineReader::report_skipped(std::optional<Frame>& frame) {
    auto& line = *skipped_;
    line.reported = true;
    line.remains = line.scanner.remains();
    frame.emplace();
    frame->kind = line.why;
    frame->text = line.why == Frame::Kind::too_long
                      ? "the message exceeds the size limit"
                      : "the messages that are arriving have too many bytes together";
    if (line.remains != Remains()) frame->remains = &line.remains;
}

std::optional<Frame> LineReader::finish() {
    std::optional<Frame> frame;
    release();
    if (skipping_ && !skipped_->reported) report_skipped(frame);
    skipping_ = false;
    if (!frame) end_line({}, frame);
    return frame;
}

void LineReader::drop_unfinished() noexcept {
    delivered_ = false;
    skipping_ = false;
}

ContentLengthReader::ContentLengthReader(std::size_t max_bytes) noexcept
    : partial_(std::max(max_bytes, max_header_bytes)), max_bytes_(max_bytes) {}

void ContentLengthReader::release() noexcept {
    if (delivered_) partial_.clear();
    delivered_ = false;
}

Frame ContentLengthReader::close(Frame::Kind kind, std::string_view text) noexcept {
    stage_ = Stage::closed;
    partial_.clear();
    input_ = {};
    return {kind, text};
}

/// Processes one header line without its line end; the empty line ends the block.
std::optional<Frame> ContentLengthReader::take_header_line(std::string_view line) {
    auto broken = [&](std::string_view text) { return close(Frame::Kind::broken, text); };
    if (line.empty()) {
        if (!length_) return broken("a header block has no Content-Length");
        header_bytes_ = 0;
        if (*length_ > 0) {
            stage_ = Stage::body;
        } else {
            length_.reset();
        }
        return std::nullopt;
    }
    auto const colon = line.find(':');
    if (colon == std::string_view::npos || !ascii::is_token(line.substr(0, colon))) {
        return broken("a header line is not \"Name: value\"");
    }
    auto const name = line.substr(0, colon);
    auto const value = ascii::trim(line.substr(colon + 1));
    if (ascii::equals_ignoring_case(name, "content-length")) {
        if (length_) return broken("a header block has Content-Length twice");
        length_ = parse_length(value);
        if (!length_) return broken("Content-Length is not a number of bytes");
        if (*length_ > max_bytes_) {
            return close(Frame::Kind::too_long, "the message exceeds the size limit");
        }
    } else if (ascii::equals_ignoring_case(name, "content-type") && !is_utf8_type(value)) {
        return broken("Content-Type names a charset other than UTF-8");
    }
    return std::nullopt;
}

std::optional<Frame> ContentLengthReader::read_header() {
    auto const end = find(input_, '\n');
    bool const complete = end != std::string_view::npos;
    auto const tail = input_.substr(0, end);
    header_bytes_ += tail.size() + (complete ? 1 : 0);
    if (header_bytes_ > max_header_bytes) {
        return close(Frame::Kind::broken, "a header block is longer than 4096 bytes");
    }
    input_.remove_prefix(complete ? end + 1 : input_.size());
    partial_.append(tail);
    if (!complete) return std::nullopt;
    auto line = partial_.view();
    if (!line.ends_with('\r')) {
        return close(Frame::Kind::broken, "a header line does not end with CR LF");
    }
    line.remove_suffix(1);
    auto failure = take_header_line(line);
    partial_.clear();
    return failure;
}

std::optional<Frame> ContentLengthReader::read_body() {
    auto const wanted = *length_ - partial_.size();
    auto const part = input_.substr(0, wanted);
    input_.remove_prefix(part.size());
    if (part.size() < wanted) {
        partial_.append(part);
        return std::nullopt;
    }
    length_.reset();
    stage_ = Stage::header;
    if (partial_.size() == 0) return Frame{Frame::Kind::message, part};
    partial_.append(part);
    delivered_ = true;
    return Frame{Frame::Kind::message, partial_.view()};
}

std::optional<Frame> ContentLengthReader::next() {
    release();
    while (stage_ != Stage::closed && !input_.empty()) {
        auto frame = stage_ == Stage::header ? read_header() : read_body();
        if (frame) return frame;
    }
    return std::nullopt;
}

std::optional<Frame> ContentLengthReader::finish() {
    release();
    if (stage_ == Stage::closed || (stage_ == Stage::header && header_bytes_ == 0)) {
        return std::nullopt;
    }
    return close(Frame::Kind::broken, "the stream ended inside a message");
}

Lines first_lines(std::span<Frame const> frames) noexcept {
    // The maximum number of bytes to look ahead. Looking further ahead would evict data that is
    // needed earlier from the cache.
    constexpr std::size_t most_bytes = 16 * 1024;
    auto const is_text = [](Frame const& frame) {
        return frame.kind == Frame::Kind::message && frame.envelope == nullptr;
    };
    Lines lines;
    if (!is_text(frames.front())) return lines;
    char const* const begin = frames.front().text.data();
    auto size = frames.front().text.size();
    for (auto const& frame : frames.subspan(1)) {
        // If a text begins one or two bytes after the end of the previous text, both are in the
        // same buffer, because different buffers are farther apart.
        char const* const end = begin + size;
        char const* const next = frame.text.data();
        bool const follows =
            next == end + 1 ? end[0] == '\n' : next == end + 2 && end[0] == '\r' && end[1] == '\n';
        if (!is_text(frame) || !follows) break;
        size = static_cast<std::size_t>(next - begin) + frame.text.size();
        if (size > most_bytes) break;
        ++lines.count;
        lines.text = {begin, size};
    }
    return lines;
}

void append_content_length(std::string& out, std::size_t message_size) {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof digits, message_size).ptr;
    out.append("Content-Length: ").append(digits, end).append("\r\n\r\n");
}

}  // namespace lanyard::rpc
