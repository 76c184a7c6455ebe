#include "http/server/reply_writer.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "lanyard/json/writer.hpp"

namespace lanyard::http {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";

// Headers for all responses, since no response of this server is meant to be displayed by a
// browser.
constexpr std::string_view security_lines =
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";

constexpr std::string_view content_lines(Content content) noexcept {
    switch (content) {
        case Content::json:
            return "Content-Type: application/json\r\nCache-Control: no-store\r\n";
        case Content::event_stream:
            return "Content-Type: text/event-stream\r\nCache-Control: no-store, no-transform\r\n"
                   "X-Accel-Buffering: no\r\n";
        case Content::text:
            return "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n";
        case Content::none:
            break;
    }
    return "Cache-Control: no-store\r\n";
}

constexpr std::string_view length_name = "Content-Length: ";
// Placeholder for the digits of the length, which are filled in later at the right end. The spaces
// that remain before the digits have no meaning in a header.
constexpr std::string_view length_blanks = "            ";
constexpr std::string_view chunk_blanks = "00000000";

void append_number(std::string& out, std::uint64_t number) {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, end);
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
    if (!value.empty()) out.append(name).append(value).append(line_end);
}

// Appends the head except the fields that determine the end of the body, and except the empty line
// after the head.
void append_head(std::string& out, ReplyHead const& head) {
    if (head.status == Status::ok) {
        out.append("HTTP/1.1 200 OK\r\n");
    } else {
        out.append("HTTP/1.1 ");
        append_number(out, static_cast<std::uint64_t>(number_of(head.status)));
        out.push_back(' ');
        out.append(reason_of(head.status)).append(line_end);
    }
    append_line(out, "Date: ", head.date);
    out.append(content_lines(head.content)).append(security_lines);
    append_line(out, "Mcp-Session-Id: ", head.session_id);
    if (!head.cors_origin.empty()) {
        append_line(out, "Access-Control-Allow-Origin: ", head.cors_origin);
        out.append(
            "Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate, Retry-After\r\n"
            "Vary: Origin\r\n");
    }
    out.append(head.more);
    if (!head.keep_alive) out.append("Connection: close\r\n");
}

}  // namespace

void append_reply(std::string& out, ReplyHead const& head, std::string_view body) {
    append_head(out, head);
    if (head.status != Status::no_content) {
        out.append(length_name);
        append_number(out, body.size());
        out.append(line_end);
    }
    out.append(line_end).append(body);
}

std::size_t begin_reply(std::string& out, ReplyHead const& head) {
    append_head(out, head);
    out.append(length_name).append(length_blanks).append(head_end);
    return out.size();
}

std::size_t ReplyBeginner::begin(std::string& out, ReplyHead const& head) {
    if (!head.usual()) return begin_reply(out, head);
    if (usual_.empty() || date_ != head.date) {
        usual_.clear();
        std::string made;
        [[maybe_unused]] auto const end = begin_reply(made, head);
        date_ = head.date;
        usual_ = std::move(made);
    }
    return out.append(usual_).size();
}

void end_reply(std::string& out, std::size_t body_begin) noexcept {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof digits, out.size() - body_begin).ptr;
    auto const field_end = out.data() + body_begin - head_end.size();
    std::copy(digits, end, field_end - (end - digits));
}

void append_stream_head(std::string& out, ReplyHead const& head, StreamEnd end) {
    append_head(out, head);
    if (end == StreamEnd::last_chunk) out.append("Transfer-Encoding: chunked\r\n");
    out.append(line_end);
}

std::size_t begin_chunk(std::string& out) {
    out.append(chunk_blanks).append(line_end);
    return out.size();
}

void end_chunk(std::string& out, std::size_t data_begin) noexcept {
    auto const head_begin = data_begin - chunk_blanks.size() - line_end.size();
    if (out.size() == data_begin) {
        out.resize(head_begin);
        return;
    }
    char digits[16];
    auto const end = std::to_chars(digits, digits + sizeof digits, out.size() - data_begin, 16).ptr;
    auto const field_end = out.data() + head_begin + chunk_blanks.size();
    std::copy(digits, end, field_end - (end - digits));
    out.append(line_end);
}

void append_last_chunk(std::string& out) {
    out.append("0\r\n\r\n");
}

void append_continue(std::string& out) {
    out.append("HTTP/1.1 100 Continue\r\n\r\n");
}

void append_rejection(std::string& out, Rejection const& rejection, std::string_view date,
                      std::string_view more, RejectionBody body) {
    ReplyHead head{.status = rejection.status,
                   .content = Content::json,
                   .keep_alive = !rejection.close,
                   .cors_origin = rejection.cors_origin,
                   .date = date};
    std::string lines(more);
    if (!rejection.allow.empty()) append_header(lines, "Allow", rejection.allow);
    head.more = lines;
    auto const begin = begin_reply(out, head);
    json::Writer writer(out);
    writer.begin_object().key("jsonrpc").safe_string("2.0");
    writer.key("error").begin_object().key("code").integer(rejection.code);
    writer.key("message").string(rejection.reason).end_object().end_object();
    end_reply(out, begin);
    if (body == RejectionBody::left_out) out.resize(begin);
}

std::string_view HttpDate::at(TimePoint now, Clock const& clock) noexcept {
    using namespace std::chrono;
    if (now < until_) return {text_.data(), text_.size()};
    auto const wall = clock.wall();
    until_ = now + (floor<seconds>(wall) + seconds(1) - wall);
    return at(wall);
}

std::string_view HttpDate::at(WallTime now) noexcept {
    using namespace std::chrono;
    auto const seconds_now = floor<seconds>(now);
    auto const count = seconds_now.time_since_epoch().count();
    if (count == second_) return {text_.data(), text_.size()};
    second_ = count;
    auto const day = floor<days>(seconds_now);
    year_month_day const date{day};
    hh_mm_ss const time{seconds_now - day};
    constexpr std::string_view day_names = "SunMonTueWedThuFriSat";
    constexpr std::string_view month_names = "JanFebMarAprMayJunJulAugSepOctNovDec";
    auto* out = text_.data();
    auto const put = [&](std::string_view text) { out = std::copy(text.begin(), text.end(), out); };
    auto const put_number = [&](std::int64_t number, int width) {
        for (int i = width - 1; i >= 0; --i, number /= 10) {
            out[i] = static_cast<char>('0' + number % 10);
        }
        out += width;
    };
    put(day_names.substr(weekday(day).c_encoding() * std::size_t{3}, 3));
    put(", ");
    put_number(static_cast<unsigned>(date.day()), 2);
    put(" ");
    put(month_names.substr((static_cast<unsigned>(date.month()) - 1) * std::size_t{3}, 3));
    put(" ");
    put_number(static_cast<int>(date.year()), 4);
    put(" ");
    put_number(time.hours().count(), 2);
    put(":");
    put_number(time.minutes().count(), 2);
    put(":");
    put_number(time.seconds().count(), 2);
    put(" GMT");
    return {text_.data(), text_.size()};
}

}  // namespace lanyard::http
