#include "http/client/response_reader.hpp"

#include <limits>

#include "base/ascii.hpp"
#include "http/message/media_type.hpp"

namespace lanyard::http {

ResponseReader::ResponseReader(ResponseLimits const& limits) noexcept
    : MessageReader(limits.max_head_bytes, BodyReader::Extras::skipped), limits_(limits) {}

bool ResponseReader::fail(std::string_view fault) noexcept {
    fault_ = fault;
    fail_reading();
    return false;
}

// Parses a line such as "HTTP/1.1 200 OK". The reason ("OK") may be missing.
bool ResponseReader::parse_status_line() noexcept {
    auto const line = buffer_.start_line();
    bool const is_http = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
    if (!is_http || line.size() < 12 || (line.size() > 12 && line[12] != ' ')) {
        return fail("the answer is not HTTP/1.1");
    }
    http_1_0_ = line[7] == '0';
    head_.status = 0;
    for (char const c : line.substr(9, 3)) {
        if (!ascii::is_digit(c)) return fail("the status is not a number");
        head_.status = head_.status * 10 + (c - '0');
    }
    if (head_.status < 100) return fail("the status is not a number from 100 to 999");
    return true;
}

bool ResponseReader::check_head() noexcept {
    auto const& fields = head_.fields;
    auto [framing, fault] = read_framing(fields);
    if (!fault.empty()) return fail(fault);
    bool const bodyless = head_.status == 204 || head_.status == 304 || (tunnel_ && head_.ok());
    bool const closes = fields.lists(FieldName::connection, "close") ||
                        (http_1_0_ && !fields.lists(FieldName::connection, "keep-alive"));
    if (bodyless) {
        framing = {};
    } else if (framing.kind == BodyFraming::Kind::none) {
        framing.kind = BodyFraming::Kind::until_close;
    }
    head_.body = framing;
    head_.keep_alive = !closes && framing.kind != BodyFraming::Kind::until_close;
    auto const coding = fields.find(FieldName::content_encoding);
    if (coding && !ascii::equals_ignoring_case(*coding, "identity")) {
        return fail("the body is compressed although that was not asked for");
    }
    auto const type = fields.find(FieldName::content_type).value_or("");
    using Content = ResponseHead::Content;
    if (framing.empty()) {
        head_.content = Content::none;
    } else if (is_json(type)) {
        head_.content = Content::json;
    } else {
        head_.content = is_event_stream(type) ? Content::event_stream : Content::other;
    }
    return true;
}

ResponseReader::Event ResponseReader::read_head() {
    for (;;) {
        switch (buffer_.take(input_)) {
            case HeadBuffer::Step::more:
                return Event::need_more;
            case HeadBuffer::Step::too_long:
                fail("the head of the answer exceeds the size limit");
                return Event::failed;
            case HeadBuffer::Step::malformed:
                fail(buffer_.fault());
                return Event::failed;
            case HeadBuffer::Step::complete:
                break;
        }
        if (!parse_status_line()) return Event::failed;
        if (head_.status == 101 || (head_.status < 200 && ++interim_ > max_interim)) {
            fail("the answer is an interim one that was not asked for");
            return Event::failed;
        }
        if (head_.status >= 200) break;
        begin_head();
    }
    auto const fault = parse_fields(buffer_.field_lines(), limits_.max_fields, head_.fields);
    if (!fault.empty()) fail(fault);
    if (!fault.empty() || !check_head()) return Event::failed;
    interim_ = 0;
    tunnel_ = false;
    bool const endless = head_.content == ResponseHead::Content::event_stream;
    return begin_body(endless ? std::numeric_limits<std::uint64_t>::max() : limits_.max_body_bytes);
}

void ResponseReader::fail_body(bool too_large) noexcept {
    too_large_ = too_large;
    fail(too_large ? "the body of the answer exceeds the size limit" : body_.fault());
}

ResponseReader::Event ResponseReader::finish() noexcept {
    if (stage_ == Stage::failed) return Event::failed;
    if (idle() && input_.empty()) return Event::need_more;
    if (stage_ == Stage::body && body_.complete_at_end()) {
        stage_ = Stage::done;
        return Event::done;
    }
    fail("the connection ended inside of an answer");
    return Event::failed;
}

}  // namespace lanyard::http
