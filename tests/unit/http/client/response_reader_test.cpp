// Responses: which are read, which are errors, and that the bytes may be split anywhere.
#include "http/client/response_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/http.hpp"

namespace lanyard::http {
namespace {

using test::cut_at;
using test::cut_every;
using test::responses_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Content = ResponseHead::Content;
using Event = ResponseReader::Event;
using Strings = std::vector<std::string>;

Strings read(std::string_view stream, ResponseLimits const& limits = {}) {
    auto const whole = responses_of({stream}, limits);
    for (std::size_t at = 0; at <= stream.size(); ++at) {
        EXPECT_EQ(responses_of(cut_at(stream, at), limits), whole) << "cut at " << at;
    }
    EXPECT_EQ(responses_of(cut_every(stream, 1), limits), whole);
    return whole;
}

ResponseHead head_of(std::string const& stream) {
    static ResponseReader reader;
    reader = ResponseReader();
    reader.feed(stream);
    EXPECT_EQ(reader.next(), Event::head) << stream;
    return reader.head();
}

TEST(ResponseReader, reads_bodies_by_length) {
    EXPECT_THAT(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 202 \r\n"
                     "Content-Length: 0\r\n\r\nHTTP/1.1 404\r\nContent-Length: 1\r\n\r\nx"),
                ElementsAre("200 [Content-Length=2] {}", "202 [Content-Length=0] ",
                            "404 [Content-Length=1] x"));
}

TEST(ResponseReader, reads_bodies_in_chunks_and_skips_extensions_and_trailers) {
    EXPECT_THAT(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "1;a=b;c=\"d\"\r\n{\r\n001 \t\r\n}\r\n0\r\nX: y\r\nZ: z\r\n\r\n"),
                ElementsAre("200 [Transfer-Encoding=chunked] {}"));
}

TEST(ResponseReader, a_body_without_a_length_ends_with_the_connection) {
    EXPECT_THAT(read("HTTP/1.0 200 OK\r\n\r\nabc"), ElementsAre("200 [] abc"));
    EXPECT_THAT(read("HTTP/1.1 200 OK\r\n\r\n"), ElementsAre("200 [] "));
    EXPECT_FALSE(head_of("HTTP/1.1 200 OK\r\n\r\n").keep_alive);
}

TEST(ResponseReader, some_answers_have_no_body) {
    EXPECT_THAT(read("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\n"
                     "Content-Length: 5\r\n\r\n"),
                ElementsAre("204 [] ", "304 [Content-Length=5] "));
    ResponseReader reader;
    reader.expect_tunnel();
    reader.feed("HTTP/1.1 200 Connection established\r\n\r\nrest");
    EXPECT_EQ(reader.next(), Event::head);
    EXPECT_EQ(reader.next(), Event::done);
    EXPECT_EQ(reader.unread(), "rest");
    reader.expect_tunnel();
    reader.feed("HTTP/1.1 407 No\r\nContent-Length: 1\r\n\r\nx");
    EXPECT_EQ(reader.next(), Event::head);
    EXPECT_EQ(reader.next(), Event::body);
}

TEST(ResponseReader, interim_answers_are_skipped) {
    EXPECT_THAT(read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                     "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
                ElementsAre("200 [Content-Length=0] "));
    EXPECT_THAT(read("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
                ElementsAre("!the answer is an interim one that was not asked for"));
    std::string many;
    for (int i = 0; i <= ResponseReader::max_interim; ++i) many += "HTTP/1.1 100 Continue\r\n\r\n";
    EXPECT_THAT(read(many), ElementsAre(StartsWith("!the answer is an interim one")));
}

TEST(ResponseReader, detects_the_type_of_the_body) {
    auto const content = [](std::string const& type, std::string const& length = "5") {
        return head_of("HTTP/1.1 200 OK\r\nContent-Type: " + type +
                       "\r\nContent-Length: " + length + "\r\n\r\n")
            .content;
    };
    EXPECT_EQ(content("application/json"), Content::json);
    EXPECT_EQ(content("Application/JSON; charset=UTF-8"), Content::json);
    EXPECT_EQ(content("text/event-stream;charset=utf-8"), Content::event_stream);
    EXPECT_EQ(content("text/html"), Content::other);
    EXPECT_EQ(content(""), Content::other);
    EXPECT_EQ(content("application/json", "0"), Content::none);
}

TEST(ResponseReader, detects_whether_the_connection_can_be_reused) {
    auto const keep_alive = [](std::string const& version, std::string const& fields) {
        return head_of(version + " 200 OK\r\nContent-Length: 0\r\n" + fields + "\r\n").keep_alive;
    };
    EXPECT_TRUE(keep_alive("HTTP/1.1", ""));
    EXPECT_FALSE(keep_alive("HTTP/1.1", "Connection: Close\r\n"));
    EXPECT_FALSE(keep_alive("HTTP/1.0", ""));
    EXPECT_TRUE(keep_alive("HTTP/1.0", "Connection: keep-alive\r\n"));
}

TEST(ResponseReader, detects_whether_the_connection_ended_between_answers) {
    ResponseReader reader;
    EXPECT_TRUE(reader.idle());
    EXPECT_EQ(reader.finish(), Event::need_more);
    reader.feed("HTTP/1.1");
    EXPECT_EQ(reader.next(), Event::need_more);
    EXPECT_FALSE(reader.idle());
    EXPECT_EQ(reader.finish(), Event::failed);
    EXPECT_EQ(reader.finish(), Event::failed);
    EXPECT_EQ(reader.next(), Event::failed);
    EXPECT_FALSE(reader.too_large());
}

TEST(ResponseReader, an_answer_cut_off_at_any_byte_is_not_complete) {
    for (std::string const stream :
         {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"}) {
        for (std::size_t size = 1; size < stream.size(); ++size) {
            EXPECT_EQ(responses_of({std::string_view(stream).substr(0, size)}).back(),
                      "!the connection ended inside of an answer");
        }
        EXPECT_EQ(responses_of({stream}).size(), 1U);
    }
    EXPECT_THAT(responses_of({""}), IsEmpty());
}

TEST(ResponseReader, malformed_answers_fail) {
    for (std::string const stream :
         {"HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000\r\n\r\n",
          "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 200 OK\n\n", "\r\n",
          "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 200 OK\r\nA\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n"}) {
        auto const responses = read(stream);
        ASSERT_FALSE(responses.empty());
        EXPECT_THAT(responses.front(), StartsWith("!")) << stream;
    }
    EXPECT_EQ(
        read("HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 0\r\n\r\n").size(),
        1U);
}

TEST(ResponseReader, malformed_chunks_fail) {
    for (std::string const chunks : {"x\r\n", "1\r\nxy\r\n", "1;a\nx\r\n", "0\r\nX: y\nZ\r\n\r\n",
                                     "0\r\n\n", "1\nx", "1\r\nx\rx", "0\r\nX: y\rz"}) {
        EXPECT_EQ(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks).back()[0],
                  '!')
            << chunks;
    }
}

TEST(Hardening, R03_answers_have_limits) {
    ResponseLimits limits;
    limits.max_body_bytes = 10;
    limits.max_head_bytes = 100;
    limits.max_fields = 3;
    auto const last = [&](std::string const& stream) {
        return responses_of({stream}, limits).back();
    };
    constexpr auto too_large = "!the body of the answer exceeds the size limit";
    EXPECT_THAT(last("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"), StartsWith("200"));
    EXPECT_EQ(last("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"), too_large);
    EXPECT_EQ(last("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nB\r\n"), too_large);
    EXPECT_THAT(last("HTTP/1.1 200 OK\r\n\r\n0123456789"), StartsWith("200"));
    EXPECT_EQ(last("HTTP/1.1 200 OK\r\n\r\n0123456789x"), too_large);
    EXPECT_EQ(last("HTTP/1.1 200 OK\r\nA: " + std::string(100, 'x')),
              "!the head of the answer exceeds the size limit");
    EXPECT_EQ(last("HTTP/1.1 200 OK\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n\r\n"),
              "!there are too many header fields");
    ResponseReader reader(limits);
    responses_of(reader, {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"});
    EXPECT_TRUE(reader.too_large());
}

TEST(Hardening, R03_extensions_and_trailers_of_chunks_have_a_limit) {
    auto const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    auto const with = [&](std::size_t size) {
        return responses_of({head + ("0\r\n" + std::string(size, 'x')) + "\r\n\r\n"}).back();
    };
    EXPECT_THAT(with(16 * 1024), StartsWith("200"));
    EXPECT_EQ(with(16 * 1024 + 1), "!chunk extensions or trailers are too long");
}

TEST(Hardening, R03_an_event_stream_has_no_limit_of_length) {
    ResponseLimits limits;
    limits.max_body_bytes = 10;
    EXPECT_THAT(
        read("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 0123456789\n\n",
             limits),
        ElementsAre("200 [Content-Type=text/event-stream] data: 0123456789\n\n"));
}

}  // namespace
}  // namespace lanyard::http
