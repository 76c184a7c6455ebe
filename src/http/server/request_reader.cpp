#include "http/server/request_reader.hpp"

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"

namespace lanyard::http {
namespace {

Method method_of(std::string_view text) noexcept {
    if (text == "POST") return Method::post;
    if (text == "GET") return Method::get;
    if (text == "DELETE") return Method::delete_;
    if (text == "OPTIONS") return Method::options;
    return Method::other;
}

// Whether the text may be a path with an optional query. Checks only that it begins with '/' and
// consists of visible ASCII without '#'.
bool is_target(std::string_view target) noexcept {
    return target.starts_with('/') && std::all_of(target.begin(), target.end(), [](char c) {
               return c > ' ' && c <= '~' && c != '#';
           });
}

constexpr std::string_view body_too_large = "the body exceeds the size limit";

}  // namespace

std::string_view RequestHead::query() const noexcept {
    auto const mark = target.find('?');
    return mark == target.npos ? std::string_view() : target.substr(mark + 1);
}

RequestReader::RequestReader(RequestLimits const& limits) noexcept
    : MessageReader(limits.max_head_bytes, BodyReader::Extras::refused), limits_(limits) {}

void RequestReader::release() noexcept {
    if (!idle()) return;
    buffer_.release();
    head_ = {};
}

bool RequestReader::fail(Status status, std::string_view reason) noexcept {
    refuse(status, reason);
    return false;
}

RequestReader::Event RequestReader::refuse(Status status, std::string_view reason) noexcept {
    rejection_ = {.status = status, .reason = reason, .close = true};
    refused_head_ = buffer_.empty() && is_head(input_);
    fail_reading();
    return Event::failed;
}

bool RequestReader::parse_request_line() noexcept {
    auto const line = buffer_.start_line();
    auto const first = line.find(' ');
    auto const second = first == line.npos ? line.npos : line.find(' ', first + 1);
    if (second == line.npos) return fail(Status::bad_request, "the request line lacks a part");
    head_.method_text = line.substr(0, first);
    head_.target = line.substr(first + 1, second - first - 1);
    auto const version = line.substr(second + 1);
    head_.old = version == "HTTP/1.0";
    if (version != "HTTP/1.1" && !head_.old) {
        bool const other = version.size() == 8 && version.starts_with("HTTP/") &&
                           ascii::is_digit(version[5]) && version[6] == '.' &&
                           ascii::is_digit(version[7]);
        return other ? fail(Status::version_not_supported, "the version must be HTTP/1.1")
                     : fail(Status::bad_request, "the request line does not end with HTTP/1.1");
    }
    if (!ascii::is_token(head_.method_text)) {
        return fail(Status::bad_request, "the method is not a token");
    }
    if (head_.target.size() > limits_.max_target_bytes) {
        return fail(Status::uri_too_long, "the target exceeds the size limit");
    }
    if (!is_target(head_.target)) {
        return fail(Status::bad_request, "the target must be a path that begins with '/'");
    }
    head_.method = method_of(head_.method_text);
    return true;
}

// Checks the fields that depend on each other or on the method.
bool RequestReader::check_head() noexcept {
    auto const& fields = head_.fields;
    if (!fields.has(FieldName::host)) return fail(Status::bad_request, "Host is missing");
    if (fields.repeated(FieldName::host)) {
        return fail(Status::bad_request, "Host occurs more than once");
    }
    auto const [framing, fault] = read_framing(fields);
    if (!fault.empty()) return fail(Status::bad_request, fault);
    // Refused, because some HTTP implementations would read a chunked body here, and others no
    // body.
    if (head_.old && fields.has(FieldName::transfer_encoding)) {
        return fail(Status::bad_request, "HTTP/1.0 has no Transfer-Encoding");
    }
    if (framing.kind == BodyFraming::Kind::length && framing.length > limits_.max_body_bytes) {
        return fail(Status::content_too_large, body_too_large);
    }
    // Refused, because an implementation that expects no body for this method would read the body
    // as another request.
    if (!framing.empty() && head_.method != Method::post && head_.method != Method::other) {
        return fail(Status::bad_request, "this method takes no body");
    }
    if (!fields.is_token_list(FieldName::connection)) {
        return fail(Status::bad_request, "Connection is not a list of tokens");
    }
    head_.body = framing;
    head_.keep_alive = !head_.old && !fields.lists(FieldName::connection, "close");
    auto const expectation = fields.find(FieldName::expect);
    if (expectation && (fields.repeated(FieldName::expect) ||
                        !ascii::equals_ignoring_case(*expectation, "100-continue"))) {
        return fail(Status::expectation_failed, "Expect must be \"100-continue\"");
    }
    head_.expects_continue = expectation.has_value() && !framing.empty() && !head_.old;
    return true;
}

// Clients often send the same head again. If the next head is identical to the previous one, except
// for the digits of Content-Length, accepts it without parsing: the earlier results still hold.
// Returns false if the head differs.
bool RequestReader::repeat_head() noexcept {
    auto const held = buffer_.view();
    if (held.empty() || input_.size() < held.size()) return false;
    auto const length = head_.fields.find(FieldName::content_length).value_or(std::string_view());
    auto const digits_begin =
        length.empty() ? held.size() : static_cast<std::size_t>(length.data() - held.data());
    auto const digits_end = std::min(digits_begin + length.size(), held.size());
    auto const digits = input_.substr(digits_begin, digits_end - digits_begin);
    if (input_.substr(0, digits_begin) != held.substr(0, digits_begin) ||
        input_.substr(digits_end, held.size() - digits_end) != held.substr(digits_end)) {
        return false;
    }
    if (digits != length) {
        std::uint64_t number = 0;
        auto const* const end = digits.data() + digits.size();
        auto const [stop, failure] = std::from_chars(digits.data(), end, number);
        // Some checks depend on whether there is a body, so the head is parsed again if the length
        // was 0 or becomes 0.
        if (failure != std::errc() || stop != end || number == 0 || head_.body.length == 0 ||
            number > limits_.max_body_bytes) {
            return false;
        }
        head_.body.length = number;
        buffer_.replace(digits_begin, digits);
    }
    input_.remove_prefix(held.size());
    return true;
}

RequestReader::Event RequestReader::read_head() {
    switch (buffer_.take(input_)) {
        case HeadBuffer::Step::more:
            return Event::need_more;
        case HeadBuffer::Step::too_long:
            return buffer_.has_start_line()
                       ? refuse(Status::header_fields_too_large, "the head exceeds the size limit")
                       : refuse(Status::uri_too_long, "the request line exceeds the size limit");
        case HeadBuffer::Step::malformed:
            return refuse(Status::bad_request, buffer_.fault());
        case HeadBuffer::Step::complete:
            break;
    }
    if (!parse_request_line()) return Event::failed;
    auto const fault = parse_fields(buffer_.field_lines(), limits_.max_fields, head_.fields);
    if (!fault.empty()) {
        bool const many = fault == too_many_fields;
        return refuse(many ? Status::header_fields_too_large : Status::bad_request, fault);
    }
    if (!check_head()) return Event::failed;
    head_.text = buffer_.view();
    head_.edition = ++editions_;
    return begin_body(limits_.max_body_bytes);
}

void RequestReader::fail_body(bool too_large) noexcept {
    if (too_large) {
        refuse(Status::content_too_large, body_too_large);
    } else {
        refuse(Status::bad_request, body_.fault());
    }
}

std::optional<RequestReader::Event> RequestReader::begin_message() noexcept {
    if (input_.empty()) return Event::need_more;
    if (repeat_head()) return begin_body(limits_.max_body_bytes);
    begin_head();
    return std::nullopt;
}

}  // namespace lanyard::http
