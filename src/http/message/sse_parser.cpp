#include "http/message/sse_parser.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/ascii.hpp"

namespace lanyard::http {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t longest_prefix = std::string_view("data: ").size();
// The longest reconnection time, about 25 days. A longer time is reduced to this value. Callers
// apply lower limits themselves.
constexpr std::chrono::milliseconds longest_retry{std::numeric_limits<std::int32_t>::max()};

std::optional<std::chrono::milliseconds> parse_retry(std::string_view digits) noexcept {
    if (!ascii::is_number(digits)) return std::nullopt;
    std::int64_t value = 0;
    auto const failure = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
    if (failure != std::errc() || value > longest_retry.count()) return longest_retry;
    return std::chrono::milliseconds(value);
}

}  // namespace

SseParser::SseParser(std::size_t max_event_bytes)
    : max_bytes_(max_event_bytes),
      line_(max_event_bytes + longest_prefix),
      data_(max_event_bytes + longest_prefix) {}

void SseParser::feed(std::string_view bytes) noexcept {
    input_ = bytes;
    position_ = 0;
    next_lf_ = bytes.find('\n');
    next_cr_ = bytes.find('\r');
}

void SseParser::restart() noexcept {
    feed({});
    line_.clear();
    data_.clear();
    data_view_ = {};
    has_data_ = false;
    type_.clear();
    has_id_ = false;
    first_line_ = true;
    in_comment_ = skip_lf_ = line_used_ = delivered_ = failed_ = false;
}

void SseParser::release() noexcept {
    if (line_used_) line_.clear();
    line_used_ = false;
    if (delivered_) {
        data_.clear();
        type_.clear();
    }
    delivered_ = false;
}

// Whether the current line may grow by `more` bytes. Sets failed_ if it may not.
bool SseParser::fits(std::size_t more) noexcept {
    failed_ = line_.size() + more > max_bytes_ + longest_prefix;
    return !failed_;
}

// Returns the next complete line that is not a comment.
std::optional<SseParser::Line> SseParser::next_line() {
    for (;;) {
        if (skip_lf_ && position_ < input_.size()) {
            if (input_[position_] == '\n') ++position_;
            skip_lf_ = false;
        }
        if (position_ == input_.size()) return std::nullopt;
        if (next_lf_ < position_) next_lf_ = input_.find('\n', position_);
        if (next_cr_ < position_) next_cr_ = input_.find('\r', position_);
        auto const end = std::min(next_lf_, next_cr_);
        bool const complete = end != std::string_view::npos;
        auto const tail = input_.substr(position_, complete ? end - position_ : end);
        position_ = complete ? end + 1 : input_.size();
        skip_lf_ = complete && end == next_cr_;

        // Comments are dropped as they arrive, since they may have any length.
        if (in_comment_ || (line_.size() == 0 && tail.starts_with(':'))) {
            in_comment_ = !complete;
            first_line_ = false;
            continue;
        }
        if (!fits(tail.size())) return std::nullopt;
        if (!complete) {
            line_.append(tail);
            return std::nullopt;
        }
        Line line{tail, true};
        if (line_.size() > 0) {
            line_.append(tail);
            line_used_ = true;
            line = {line_.view(), false};
        }
        if (first_line_ && line.text.starts_with(byte_order_mark)) {
            line.text.remove_prefix(byte_order_mark.size());
        }
        first_line_ = false;
        return line;
    }
}

// Copies the event's data, so that it stays valid when the input is gone.
void SseParser::keep_data() {
    data_.append(data_view_);
    data_view_ = {};
}

void SseParser::take_data(std::string_view value, bool in_input) {
    // The event's earlier data is in data_ or in data_view_; the other one is empty. `value` is
    // appended to the earlier data after an LF.
    auto const before = has_data_ ? data_.size() + data_view_.size() + 1 : 0;
    failed_ = before + value.size() > max_bytes_;
    if (failed_) return;
    if (!has_data_ && in_input) {
        data_view_ = value;
    } else {
        keep_data();
        if (has_data_) data_.append("\n");
        data_.append(value);
    }
    has_data_ = true;
}

void SseParser::take_field(Line line) {
    auto const colon = line.text.find(':');
    auto const name = line.text.substr(0, colon);
    auto value = colon == line.text.npos ? std::string_view() : line.text.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data") {
        take_data(value, line.in_input);
    } else if (name == "event" || name == "id") {
        failed_ = value.size() > max_name_bytes;
        if (failed_) return;
        if (name == "event") {
            type_ = value;
        } else if (value.find('\0') == value.npos) {
            id_ = value;
            has_id_ = true;
        }
    } else if (name == "retry") {
        if (auto const retry = parse_retry(value)) retry_ = retry;
    }
}

std::optional<SseEvent> SseParser::dispatch() noexcept {
    if (has_id_) last_event_id_.swap(id_);
    has_id_ = false;
    if (!has_data_) {
        type_.clear();
        return std::nullopt;
    }
    auto const data = data_.size() > 0 ? data_.view() : data_view_;
    data_view_ = {};
    has_data_ = false;
    delivered_ = true;
    return SseEvent{type_.empty() ? std::string_view("message") : type_, data, last_event_id_};
}

std::optional<SseEvent> SseParser::next() {
    while (!failed_) {
        release();
        auto const line = next_line();
        if (!line) {
            keep_data();
            break;
        }
        if (line->text.empty()) {
            if (auto event = dispatch()) return event;
        } else {
            take_field(*line);
        }
    }
    return std::nullopt;
}

}  // namespace lanyard::http
