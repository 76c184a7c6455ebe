// Responses written by the server, read back by the client's reader.
#include "http/server/reply_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/http.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// The response as the client reads it. There must be exactly one.
struct Reply {
    ResponseHead head;
    std::string body;
};

Reply read_back(std::string const& text) {
    static ResponseReader reader;
    reader = ResponseReader();
    reader.feed(text);
    Reply reply;
    using Event = ResponseReader::Event;
    EXPECT_EQ(reader.next(), Event::head);
    Event event;
    while ((event = reader.next()) == Event::body) reply.body += reader.body();
    EXPECT_EQ(event, Event::done);
    EXPECT_EQ(reader.unread(), "");
    reply.head = reader.head();
    return reply;
}

constexpr std::string_view security =
    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";

TEST(ReplyWriter, writes_a_json_answer) {
    std::string out;
    append_reply(out, {.content = Content::json}, "{}");
    EXPECT_EQ(out,
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n" +
                  std::string(security) + "Content-Length: 2\r\n\r\n{}");
}

TEST(ReplyWriter, the_body_can_be_written_directly_into_the_buffer) {
    for (std::size_t const size : {0U, 1U, 9U, 10U, 12345U}) {
        std::string out = "before";
        auto const begin = begin_reply(out, {.content = Content::json});
        out.append(size, 'x');
        end_reply(out, begin);
        ASSERT_TRUE(out.starts_with("before"));
        auto const reply = read_back(out.substr(6));
        EXPECT_EQ(reply.body, std::string(size, 'x'));
        EXPECT_EQ(reply.head.body.length, size);
        EXPECT_TRUE(reply.head.keep_alive);
    }
}

TEST(ReplyWriter, a_prepared_head_equals_a_written_one) {
    ReplyBeginner beginner;
    ReplyHead const usual{.content = Content::json, .date = "Sun, 06 Nov 1994 08:49:37 GMT"};
    ReplyHead const later{.content = Content::json, .date = "Sun, 06 Nov 1994 08:49:38 GMT"};
    ReplyHead const closing{.content = Content::json, .keep_alive = false};
    ReplyHead const opening{.content = Content::json, .session_id = "abc"};
    ReplyHead const shared{.content = Content::json, .cors_origin = "https://app.example"};
    ReplyHead const longer{.content = Content::json, .more = "A: b\r\n"};
    ReplyHead const failing{.status = Status::bad_request, .content = Content::json};
    ReplyHead const text{.content = Content::text};
    ReplyHead const undated{.content = Content::json};
    for (auto const& head : {undated, usual, usual, later, usual, undated, closing, opening, shared,
                             longer, failing, text, usual}) {
        std::string out = "before", expected = "before";
        EXPECT_EQ(beginner.begin(out, head), begin_reply(expected, head));
        EXPECT_EQ(out, expected);
    }
}

TEST(ReplyWriter, writes_every_part_of_the_head) {
    std::string more, out;
    append_header(more, "Retry-After", "5");
    append_reply(out,
                 {.status = Status::service_unavailable,
                  .content = Content::text,
                  .keep_alive = false,
                  .session_id = "abc",
                  .cors_origin = "https://app.example",
                  .date = "Sun, 06 Nov 1994 08:49:37 GMT",
                  .more = more},
                 "busy");
    auto const reply = read_back(out);
    auto const& fields = reply.head.fields;
    EXPECT_EQ(reply.head.status, 503);
    EXPECT_EQ(reply.body, "busy");
    EXPECT_FALSE(reply.head.keep_alive);
    EXPECT_EQ(fields.find(FieldName::mcp_session_id), "abc");
    EXPECT_EQ(fields.find("Access-Control-Allow-Origin"), "https://app.example");
    EXPECT_THAT(std::string(*fields.find("Access-Control-Expose-Headers")),
                HasSubstr("Mcp-Session-Id"));
    EXPECT_EQ(fields.find("Vary"), "Origin");
    EXPECT_EQ(fields.find("Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(fields.find(FieldName::retry_after), "5");
    EXPECT_EQ(fields.find(FieldName::content_type), "text/plain; charset=utf-8");
}

TEST(ReplyWriter, writes_answers_without_a_body) {
    std::string out;
    append_reply(out, {.status = Status::accepted});
    EXPECT_EQ(read_back(out).head.body, (BodyFraming{BodyFraming::Kind::length, 0}));
    EXPECT_EQ(read_back(out).head.status, 202);
    out.clear();
    append_reply(out, {.status = Status::no_content});
    EXPECT_THAT(out, Not(HasSubstr("Content-Length")));
    EXPECT_EQ(read_back(out).head.status, 204);
}

TEST(ReplyWriter, writes_a_stream_in_chunks) {
    std::string out;
    append_stream_head(out, {.content = Content::event_stream});
    std::string expected;
    for (std::size_t const size : {1U, 16U, 0U, 5000U}) {
        auto const begin = begin_chunk(out);
        out.append(size, 'x');
        end_chunk(out, begin);
        expected.append(size, 'x');
    }
    append_last_chunk(out);
    auto const reply = read_back(out);
    EXPECT_EQ(reply.body, expected);
    EXPECT_EQ(reply.head.content, ResponseHead::Content::event_stream);
    EXPECT_EQ(reply.head.fields.find("X-Accel-Buffering"), "no");
    EXPECT_EQ(reply.head.fields.find("Cache-Control"), "no-store, no-transform");
}

TEST(ReplyWriter, continue_is_an_interim_answer) {
    std::string out;
    append_continue(out);
    append_reply(out, {.status = Status::accepted});
    EXPECT_EQ(read_back(out).head.status, 202);
}

TEST(ReplyWriter, rejections_have_a_reason) {
    std::string out;
    append_rejection(out, {.status = Status::method_not_allowed,
                           .reason = "not \"here\"",
                           .code = -32020,
                           .close = true,
                           .allow = "GET, POST",
                           .cors_origin = "https://a"});
    auto const reply = read_back(out);
    EXPECT_EQ(reply.head.status, 405);
    EXPECT_EQ(reply.head.content, ResponseHead::Content::json);
    EXPECT_FALSE(reply.head.keep_alive);
    EXPECT_EQ(reply.head.fields.find("Allow"), "GET, POST");
    EXPECT_EQ(reply.head.fields.find("Access-Control-Allow-Origin"), "https://a");
    EXPECT_EQ(reply.body, R"({"jsonrpc":"2.0","error":{"code":-32020,"message":"not \"here\""}})");
    out.clear();
    append_rejection(out, {.reason = "bad"});
    EXPECT_TRUE(read_back(out).head.keep_alive);
    EXPECT_FALSE(read_back(out).head.fields.find("Allow"));
}

TEST(ReplyWriter, header_values_cannot_forge_lines) {
    std::string lines;
    append_header(lines, "A", std::string("x\r\nSet-Cookie: y\0\x7f\tz", 20));
    EXPECT_EQ(lines, "A: x  Set-Cookie: y  \tz\r\n");
}

TEST(ReplyWriter, every_status_has_a_reason) {
    for (int number = 200; number < 600; ++number) {
        auto const reason = reason_of(static_cast<Status>(number));
        EXPECT_FALSE(reason.empty());
        if (reason == "Unknown") continue;
        std::string out;
        append_reply(out, {.status = static_cast<Status>(number)});
        EXPECT_EQ(read_back(out).head.status, number);
    }
    EXPECT_EQ(reason_of(Status::not_found), "Not Found");
}

TEST(HttpDate, has_the_format_of_the_rfc) {
    HttpDate date;
    EXPECT_EQ(date.at(WallTime(784111777s)), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(date.at(WallTime(784111777s + 999ms)), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(date.at(WallTime(784111778s)), "Sun, 06 Nov 1994 08:49:38 GMT");
    EXPECT_EQ(date.at(WallTime(951782399s)), "Mon, 28 Feb 2000 23:59:59 GMT");
    EXPECT_EQ(date.at(WallTime(951782400s)), "Tue, 29 Feb 2000 00:00:00 GMT");
    EXPECT_EQ(date.at(WallTime(0s)), "Thu, 01 Jan 1970 00:00:00 GMT");
}

// A stopped clock that counts the calls of wall().
class CountingClock final : public Clock {
public:
    TimePoint now() const noexcept override { return {}; }
    WallTime wall() const noexcept override {
        ++looks;
        return date;
    }

    WallTime date{};
    mutable int looks = 0;
};

TEST(HttpDate, reads_the_calendar_once_a_second) {
    CountingClock clock;
    HttpDate date;
    TimePoint const begin{};
    clock.date = WallTime(784111777s + 400ms);
    EXPECT_EQ(date.at(begin, clock), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(date.at(begin + 599ms, clock), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(clock.looks, 1);
    clock.date = WallTime(784111778s);
    EXPECT_EQ(date.at(begin + 600ms, clock), "Sun, 06 Nov 1994 08:49:38 GMT");
    EXPECT_EQ(date.at(begin + 1599ms, clock), "Sun, 06 Nov 1994 08:49:38 GMT");
    EXPECT_EQ(clock.looks, 2);
    clock.date = WallTime(951782400s + 1ms);
    EXPECT_EQ(date.at(begin + 1600ms, clock), "Tue, 29 Feb 2000 00:00:00 GMT");
    EXPECT_EQ(clock.looks, 3);
}

}  // namespace
}  // namespace lanyard::http
