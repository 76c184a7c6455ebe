// The load generator parses every form of response, refuses wrong ones, and measures latency from
// when a call was due.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/answer.hpp"
#include "load/call.hpp"
#include "load/latency.hpp"

namespace lanyard::bench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

constexpr std::string_view right =
    R"({"jsonrpc":"2.0","id":1000007,"result":{"content":[{"type":"text",)"
    R"("text":"the quick brown fox jumps over the lazy dog"}]}})";

// The result must not depend on how the response is split.
std::string message_of(std::string const& answer) {
    Answer at_once;
    EXPECT_TRUE(at_once.take(answer));
    for (std::size_t const piece : {1U, 2U, 3U, 7U}) {
        Answer in_pieces;
        for (std::size_t at = 0; at < answer.size(); at += piece) {
            EXPECT_EQ(in_pieces.take(answer.substr(at, piece)), at + piece >= answer.size());
        }
        EXPECT_EQ(in_pieces.message(), at_once.message());
    }
    return std::string(at_once.message());
}

TEST(Answer, has_a_body_of_a_known_length) {
    EXPECT_EQ(message_of("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"), "{}");
}

TEST(Answer, has_a_body_in_chunks) {
    EXPECT_EQ(message_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "3\r\n{\"a\r\nA;x=y\r\n\":\"0123456\r\n2\r\n\"}\r\n0\r\n\r\n"),
              R"({"a":"0123456"})");
}

TEST(Answer, carries_the_last_event_of_a_stream) {
    std::string const events =
        "id: 1\ndata:\n\nevent: message\ndata: {\"method\":\"x\"}\n\n: note\ndata: {\"id\":\n"
        "data: 1}\n\n";
    EXPECT_EQ(message_of("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
                         "Content-Length: " +
                         std::to_string(events.size()) + "\r\n\r\n" + events),
              "{\"id\":\n1}");
}

TEST(Answer, has_the_session_id_and_the_connection_header) {
    Answer answer;
    EXPECT_TRUE(
        answer.take("HTTP/1.1 202 Accepted\r\nMCP-SESSION-ID: abc\r\n"
                    "Connection: close\r\n\r\n"));
    EXPECT_EQ(answer.status(), 202);
    EXPECT_EQ(answer.session(), "abc");
    EXPECT_TRUE(answer.last());
    answer.clear();
    EXPECT_TRUE(answer.take("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
    EXPECT_EQ(answer.session(), "");
    EXPECT_FALSE(answer.last());
}

TEST(Answer, take_throws_on_malformed_responses) {
    EXPECT_ANY_THROW(Answer().take("HTTP/1.1 200 OK\r\n\r\n"));
    EXPECT_ANY_THROW(Answer().take("SSH-2.0\r\n\r\n"));
    EXPECT_ANY_THROW(Answer().take("HTTP/1.1 200 OK\r\nno header\r\n\r\n"));
    EXPECT_ANY_THROW(Answer().take("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"));
    EXPECT_ANY_THROW(Answer().take("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}"));
}

TEST(Call, has_its_own_id_and_numbers) {
    Call const call(Work::add, Era::legacy);
    auto line = call.line();
    auto const size = line.size();
    call.patch(line, 1234);
    EXPECT_EQ(line.size(), size);
    EXPECT_THAT(line, HasSubstr(R"("id":1001234,)"));
    EXPECT_THAT(line, HasSubstr(R"("a":434,"b":2)"));
}

TEST(Call, is_a_request_of_its_era) {
    auto const old = Call(Work::echo, Era::legacy).request(8080, "abc");
    EXPECT_THAT(old, HasSubstr("Mcp-Session-Id: abc\r\n"));
    EXPECT_THAT(old, Not(HasSubstr("_meta")));
    auto const modern = Call(Work::list, Era::modern).request(8080, "");
    EXPECT_THAT(modern, HasSubstr("Mcp-Method: tools/list\r\n"));
    EXPECT_THAT(modern, Not(HasSubstr("Mcp-Name")));
    EXPECT_THAT(modern, HasSubstr(R"("params":{"_meta":{"io.)"));
    EXPECT_THAT(Call(Work::text, Era::modern).request(8080, ""), HasSubstr("Mcp-Name: text\r\n"));
}

TEST(Call, check_accepts_the_right_answer) {
    Call call(Work::echo, Era::legacy);
    EXPECT_EQ(call.check(right), 7U);
    EXPECT_EQ(call.check(R"({"jsonrpc":"2.0","method":"notifications/message"})"), std::nullopt);
    EXPECT_EQ(Call(Work::add, Era::legacy)
                  .check(R"({"id":1000007,"result":{"structuredContent":{"sum":109.0}}})"),
              7U);
}

TEST(Call, refuses_wrong_answers) {
    auto const refused = [](Work work, std::string const& text, std::string const& why) {
        EXPECT_THAT([&] { Call(work, Era::legacy).check(text); },
                    ThrowsMessage<std::runtime_error>(HasSubstr(why)));
    };
    refused(Work::echo, "oops", "not JSON");
    refused(Work::echo, R"({"id":1000007,"error":{"code":-32603}})", "not the answer");
    refused(Work::echo, R"({"id":3,"result":{}})", "not the answer");
    refused(Work::echo, R"({"id":1000007,"result":{"isError":true}})", "has failed");
    refused(Work::echo, R"({"id":1000007,"result":{"content":[{"text":"x"}]}})", "not the text");
    refused(Work::echo, R"({"id":1000007,"result":{"content":[]}})", "not one piece");
    refused(Work::text, std::string(right), "not the text");
    refused(Work::add, R"({"id":1000007,"result":{"structuredContent":{"sum":1}}})", "not the sum");
    refused(Work::list, R"({"id":1000007,"result":{"tools":[{}]}})", "not 80");
}

TEST(Schedule, charges_a_stall_for_every_call_that_was_due) {
    Time const start{std::chrono::seconds(100)};
    Schedule const schedule(start, 1000);
    EXPECT_EQ(schedule.due_by(start - std::chrono::milliseconds(1)), 0U);
    EXPECT_EQ(schedule.due_by(start), 1U);
    // Nothing was answered for ten milliseconds: later calls are measured from when they were due.
    auto const after = start + std::chrono::milliseconds(10);
    EXPECT_EQ(schedule.due_by(after), 11U);
    EXPECT_EQ(after - schedule.due(3), std::chrono::milliseconds(7));
}

TEST(Percentile, is_a_value_that_occurred) {
    std::vector<double> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
    EXPECT_EQ(percentile(values, 0.5), 500);
    EXPECT_EQ(percentile(values, 0.99), 990);
    EXPECT_EQ(percentile(values, 0.999), 999);
    EXPECT_EQ(percentile(values, 1), 1000);
    EXPECT_EQ(percentile({5}, 0.001), 5);
    EXPECT_EQ(percentile({}, 0.5), 0);
}

}  // namespace
}  // namespace lanyard::bench
