#include "http/message/sse_writer.hpp"

#include <algorithm>
#include <charconv>

namespace lanyard::http {
namespace {

constexpr std::string_view line_ends = "\r\n";

void append_without(std::string& out, std::string_view text, std::string_view unwanted) {
    for (;;) {
        auto const end = text.find_first_of(unwanted);
        out.append(text.substr(0, end));
        if (end == text.npos) return;
        text.remove_prefix(end + 1);
    }
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out.append(name);
    append_without(out, value, std::string_view("\r\n\0", 3));
    out.push_back('\n');
}

void append_retry_line(std::string& out, std::chrono::milliseconds retry) {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof digits, retry.count()).ptr;
    out.append("retry: ").append(digits, end).push_back('\n');
}

// Appends the data; the caller has already written "data: " for the first line. Starts each further
// line with "data: ". Searches for LF and CR separately, because searching for one character is
// many times faster than searching for either of two. Each search continues from its last position,
// so the data is read at most twice.
void append_lines(std::string& out, std::string_view data) {
    std::size_t begin = 0;
    auto feed = data.find('\n');
    auto carriage_return = data.find('\r');
    for (;;) {
        auto const end = std::min(feed, carriage_return);
        out.append(data.substr(begin, end - begin));
        if (end == data.npos) return;
        begin = end + (data.substr(end).starts_with(line_ends) ? 2 : 1);
        if (feed < begin) feed = data.find('\n', begin);
        if (carriage_return < begin) carriage_return = data.find('\r', begin);
        out.append("\ndata: ");
    }
}

}  // namespace

void append_event(std::string& out, SseFields const& fields, std::string_view data) {
    static_cast<void>(begin_event(out, fields));
    append_lines(out, data);
    out.append("\n\n");
}

std::size_t begin_event(std::string& out, SseFields const& fields) {
    append_field(out, "event: ", fields.event);
    append_field(out, "id: ", fields.id);
    if (fields.retry) append_retry_line(out, *fields.retry);
    out.append("data: ");
    return out.size();
}

void end_event(std::string& out, std::size_t data_begin) {
    // Two searches for one character each are several times faster than one search for either
    // character.
    bool const one_line =
        out.find('\n', data_begin) == out.npos && out.find('\r', data_begin) == out.npos;
    if (!one_line) {
        auto const data = out.substr(data_begin);
        out.resize(data_begin);
        append_lines(out, data);
    }
    out.append("\n\n");
}

void append_retry(std::string& out, std::chrono::milliseconds retry) {
    append_retry_line(out, retry);
    out.push_back('\n');
}

void append_comment(std::string& out, std::string_view text) {
    out.append(": ");
    append_without(out, text, line_ends);
    out.append("\n\n");
}

}  // namespace lanyard::http
