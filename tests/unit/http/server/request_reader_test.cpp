// Requests: which are read, which are refused, and that the bytes may be split anywhere.
#include "http/server/request_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/http.hpp"

namespace lanyard::http {
namespace {

using test::cut_at;
using test::cut_every;
using test::requests_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Event = RequestReader::Event;
using Strings = std::vector<std::string>;

// Reads the stream; the result must be the same wherever the stream is split.
Strings read(std::string_view stream, RequestLimits const& limits = {}) {
    auto const whole = requests_of({stream}, limits);
    for (std::size_t at = 0; at <= stream.size(); ++at) {
        EXPECT_EQ(requests_of(cut_at(stream, at), limits), whole) << "cut at " << at;
    }
    EXPECT_EQ(requests_of(cut_every(stream, 1), limits), whole);
    return whole;
}

RequestHead head_of(std::string const& stream) {
    static RequestReader reader;
    reader = RequestReader();
    reader.feed(stream);
    EXPECT_EQ(reader.next(), Event::head) << stream;
    return reader.head();
}

std::string post(std::string_view fields, std::string_view body = {}) {
    return "POST /mcp HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

TEST(RequestReader, reads_a_request_with_a_body) {
    EXPECT_THAT(
        read(post("Content-Type: application/json\r\nContent-Length: 2\r\n", "{}")),
        ElementsAre("POST /mcp [Host=a|Content-Type=application/json|Content-Length=2] {}"));
}

TEST(RequestReader, reads_a_request_without_a_body) {
    EXPECT_THAT(read("GET /mcp?a=1?b HTTP/1.1\r\nHost: a\r\n\r\n"),
                ElementsAre("GET /mcp?a=1?b [Host=a] "));
    auto const head = head_of("GET /mcp?a=1?b HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(head.path(), "/mcp");
    EXPECT_EQ(head.query(), "a=1?b");
    EXPECT_EQ(head_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n").query(), "");
}

TEST(RequestReader, recognizes_the_supported_methods) {
    auto const method = [](std::string const& text) {
        return head_of(text + " / HTTP/1.1\r\nHost: a\r\n\r\n").method;
    };
    EXPECT_EQ(method("GET"), Method::get);
    EXPECT_EQ(method("POST"), Method::post);
    EXPECT_EQ(method("DELETE"), Method::delete_);
    EXPECT_EQ(method("OPTIONS"), Method::options);
    EXPECT_EQ(method("PATCH"), Method::other);
    EXPECT_EQ(method("post"), Method::other);
}

TEST(RequestReader, reads_chunked_bodies) {
    EXPECT_THAT(read(post("Transfer-Encoding: chunked\r\n",
                          "2\r\n{\"\r\n00A\r\n0123456789\r\n"
                          "3\r\n\":1\r\n1\r\n}\r\n0\r\n\r\n")),
                ElementsAre("POST /mcp [Host=a|Transfer-Encoding=chunked] {\"0123456789\":1}"));
    EXPECT_THAT(read(post("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n")),
                ElementsAre("POST /mcp [Host=a|Transfer-Encoding=Chunked] "));
}

TEST(RequestReader, pipelined_requests_are_read_one_at_a_time) {
    auto const first = post("Content-Length: 2\r\n", "{}");
    auto const second = "GET /mcp HTTP/1.1\r\nHost: b\r\n\r\n";
    auto const third = post("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n");
    EXPECT_THAT(read(first + second + third),
                ElementsAre("POST /mcp [Host=a|Content-Length=2] {}", "GET /mcp [Host=b] ",
                            "POST /mcp [Host=a|Transfer-Encoding=chunked] x"));
    auto const both = first + second;
    RequestReader reader;
    reader.feed(both);
    EXPECT_EQ(reader.next(), Event::head);
    EXPECT_EQ(reader.next(), Event::body);
    EXPECT_EQ(reader.body().data(), both.data() + both.find("{}")) << "not copied";
    EXPECT_EQ(reader.next(), Event::done);
    EXPECT_EQ(reader.unread(), second);
    EXPECT_EQ(reader.head().target, "/mcp") << "the head stays until the next request";
}

// The editions of the heads in a stream that arrives in one piece.
std::vector<std::uint64_t> editions(std::string const& stream) {
    std::vector<std::uint64_t> found;
    RequestReader reader;
    reader.feed(stream);
    for (auto event = reader.next(); event != Event::need_more; event = reader.next()) {
        if (event == Event::failed) return {};
        if (event == Event::head) found.push_back(reader.head().edition);
    }
    return found;
}

TEST(RequestReader, a_head_that_differs_in_the_length_only_is_of_the_same_edition) {
    auto const first = post("Content-Length: 2\r\nAccept: a\r\n", "{}");
    auto const longer = post("Content-Length: 3\r\nAccept: a\r\n", "{ }");
    auto const get = std::string("GET /mcp HTTP/1.1\r\nHost: b\r\n\r\n");
    EXPECT_THAT(editions(first + first + longer), ElementsAre(1, 1, 1));
    EXPECT_THAT(editions(get + get), ElementsAre(1, 1));
    EXPECT_THAT(read(first + longer + first + get + get),
                ElementsAre("POST /mcp [Host=a|Content-Length=2|Accept=a] {}",
                            "POST /mcp [Host=a|Content-Length=3|Accept=a] { }",
                            "POST /mcp [Host=a|Content-Length=2|Accept=a] {}", "GET /mcp [Host=b] ",
                            "GET /mcp [Host=b] "));
}

TEST(RequestReader, a_head_that_differs_otherwise_is_of_another_edition) {
    auto const first = post("Content-Length: 2\r\nAccept: a\r\n", "{}");
    for (auto const& second : {post("Content-Length: 2\r\nAccept: b\r\n", "{}"),
                               post("Content-Length: 0\r\nAccept: a\r\n"),
                               post("Content-Length: 02\r\nAccept: a\r\n", "{}"),
                               post("Content-Length: 2\r\nAccept: a\r\nB: c\r\n", "{}"),
                               post("Content-Length: 2\r\n", "{}"), post("")}) {
        EXPECT_THAT(editions(first + second + first), ElementsAre(1, 2, 3)) << second;
        EXPECT_EQ(read(first + second + first).size(), 3U);
    }
    EXPECT_THAT(editions(post("Content-Length: 0\r\n") + post("Content-Length: 1\r\n", "x")),
                ElementsAre(1, 2));
    auto const get = [](std::string const& length) {
        return "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n";
    };
    EXPECT_THAT(read(get("0") + get("2") + "{}"),
                ElementsAre("GET / [Host=a|Content-Length=0] ", "!400 this method takes no body"));
}

TEST(RequestReader, the_length_in_a_repeated_head_is_checked_like_any_other) {
    auto const first = post("Content-Length: 20\r\n", "01234567890123456789");
    EXPECT_THAT(read(first + post("Content-Length: 2x\r\n", "{}")).back(), StartsWith("!400"));
    EXPECT_THAT(read(first + post("Content-Length: -1\r\n", "{}")).back(), StartsWith("!400"));
    RequestLimits limits;
    limits.max_body_bytes = 30;
    EXPECT_THAT(read(first + post("Content-Length: 31\r\n", "{}"), limits).back(),
                StartsWith("!413"));
}

TEST(RequestReader, detects_whether_it_is_between_two_requests) {
    RequestReader reader;
    EXPECT_TRUE(reader.idle());
    reader.feed("P");
    EXPECT_EQ(reader.next(), Event::need_more);
    EXPECT_FALSE(reader.idle());
    reader.release();
    auto const rest = post("Content-Length: 1\r\n", "x").substr(1);
    reader.feed(rest);
    EXPECT_EQ(reader.next(), Event::head);
    EXPECT_FALSE(reader.idle());
    EXPECT_EQ(reader.next(), Event::body);
    EXPECT_EQ(reader.next(), Event::done);
    EXPECT_TRUE(reader.idle());
    EXPECT_GT(reader.capacity(), 0U);
    reader.release();
    EXPECT_EQ(reader.capacity(), 0U);
    EXPECT_EQ(reader.next(), Event::need_more);
    EXPECT_TRUE(reader.idle());
}

TEST(RequestReader, a_connection_closes_if_the_client_requests_it) {
    EXPECT_TRUE(head_of(post("")).keep_alive);
    EXPECT_TRUE(head_of(post("Connection: keep-alive\r\n")).keep_alive);
    EXPECT_FALSE(head_of(post("Connection: close\r\n")).keep_alive);
    EXPECT_FALSE(head_of(post("Connection: x, Close \r\n")).keep_alive);
    EXPECT_FALSE(head_of(post("Connection: x\r\nConnection: ,close,\r\n")).keep_alive);
    EXPECT_TRUE(head_of(post("Connection: closed\r\n")).keep_alive);
    EXPECT_THAT(read(post("Connection: close: x\r\n")),
                ElementsAre("!400 Connection is not a list of tokens"));
    EXPECT_THAT(read(post("Connection: x\r\nConnection: a b\r\n")),
                ElementsAre(StartsWith("!400")));
}

TEST(RequestReader, a_client_may_wait_before_it_sends_the_body) {
    EXPECT_TRUE(head_of(post("Expect: 100-Continue\r\nContent-Length: 2\r\n")).expects_continue);
    EXPECT_FALSE(head_of(post("Expect: 100-continue\r\nContent-Length: 0\r\n")).expects_continue);
    EXPECT_FALSE(head_of(post("Content-Length: 2\r\n")).expects_continue);
    EXPECT_THAT(read(post("Expect: 200-ok\r\nContent-Length: 2\r\n")),
                ElementsAre("!417 Expect must be \"100-continue\""));
    EXPECT_THAT(read(post("Expect: 100-continue\r\nExpect: 100-continue\r\n")),
                ElementsAre(StartsWith("!417")));
}

TEST(RequestReader, blanks_around_field_values_are_removed) {
    EXPECT_THAT(read(post("A:b\r\nC: \t d \t e \t \r\nF:\r\nG:  \r\nContent-Length: 0 \r\n")),
                ElementsAre("POST /mcp [Host=a|A=b|C=d \t e|F=|G=|Content-Length=0] "));
}

TEST(RequestReader, the_body_of_other_methods_is_refused) {
    for (std::string const method : {"GET", "DELETE", "OPTIONS"}) {
        EXPECT_THAT(read(method + " / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"),
                    ElementsAre("!400 this method takes no body"));
        EXPECT_THAT(read(method + " / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
                    ElementsAre("!400 this method takes no body"));
        EXPECT_EQ(read(method + " / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").size(), 1U);
    }
}

TEST(RequestReader, request_lines_have_three_parts) {
    for (std::string const line :
         {"POST", "POST /mcp", "POST  /mcp HTTP/1.1", "POST /mcp  HTTP/1.1", " POST /mcp HTTP/1.1",
          "POST /mcp HTTP/1.1 ", "POST\t/mcp\tHTTP/1.1", "POST /m cp HTTP/1.1",
          "POST /mcp http/1.1", "POST /mcp HTTP/1.10", "POST /mcp HTTP/x.1", "POST /mcp HTTP/1,1",
          "P(ST /mcp HTTP/1.1", " / HTTP/1.1", "POST /mcp HTTP/1.x", "POST /mcp HTTP/1.1\r",
          "POST /mcp FTTP/1.1"}) {
        EXPECT_THAT(read(line + "\r\nHost: a\r\n\r\n"), ElementsAre(StartsWith("!400"))) << line;
    }
}

TEST(RequestReader, targets_are_paths) {
    for (std::string const target :
         {"http://a/mcp", "a:80", "*", "mcp", "?", "/a#b", "/a\x7f", "/a\xC3\xA9", "/a\x01"}) {
        EXPECT_THAT(read("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"),
                    ElementsAre("!400 the target must be a path that begins with '/'"))
            << target;
    }
}

TEST(RequestReader, http_1_0_is_parsed_as_strictly) {
    auto const old = head_of("POST / HTTP/1.0\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
    EXPECT_TRUE(old.old);
    EXPECT_FALSE(old.keep_alive);
    EXPECT_FALSE(head_of("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n").keep_alive);
    EXPECT_FALSE(head_of("POST / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\n"
                         "Content-Length: 1\r\n\r\nx")
                     .expects_continue);
    EXPECT_FALSE(head_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n").old);
    EXPECT_THAT(read("GET / HTTP/1.0\r\n\r\n"), ElementsAre("!400 Host is missing"));
    EXPECT_THAT(read("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"),
                ElementsAre("!400 Host occurs more than once"));
    EXPECT_THAT(read("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                ElementsAre("!400 HTTP/1.0 has no Transfer-Encoding"));
    // The version of one request does not affect the next.
    EXPECT_THAT(read("GET / HTTP/1.0\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
                ElementsAre("GET / [Host=a] ", "GET / [Host=a] "));
}

TEST(RequestReader, other_versions_of_http_are_refused) {
    for (std::string const version : {"2.0", "0.9", "1.2"}) {
        EXPECT_THAT(read("GET / HTTP/" + version + "\r\nHost: a\r\n\r\n"),
                    ElementsAre("!505 the version must be HTTP/1.1"));
    }
    EXPECT_THAT(read("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ElementsAre(StartsWith("!505")));
}

TEST(Limits, the_head_and_its_parts_are_limited) {
    RequestLimits limits;
    limits.max_head_bytes = 100;
    limits.max_target_bytes = 20;
    limits.max_fields = 4;
    auto const with = [&](std::size_t size) {
        std::string head = "GET / HTTP/1.1\r\nHost: a\r\nA: ";
        return head + std::string(size - head.size() - 4, 'x') + "\r\n\r\n";
    };
    EXPECT_THAT(read(with(100), limits), ElementsAre(StartsWith("GET")));
    EXPECT_THAT(read(with(101), limits), ElementsAre("!431 the head exceeds the size limit"));
    auto const target = [&](std::size_t size) {
        return "GET /" + std::string(size - 1, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n";
    };
    EXPECT_THAT(read(target(20), limits), ElementsAre(StartsWith("GET")));
    EXPECT_THAT(read(target(21), limits), ElementsAre("!414 the target exceeds the size limit"));
    EXPECT_THAT(read(target(101), limits),
                ElementsAre("!414 the request line exceeds the size limit"));
    EXPECT_THAT(read(post("A: 1\r\nB: 2\r\nC: 3\r\n"), limits), ElementsAre(StartsWith("POST")));
    EXPECT_THAT(read(post("A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n"), limits),
                ElementsAre("!431 there are too many header fields"));
}

TEST(Hardening, R01_a_body_beyond_the_limit_is_refused_when_it_is_announced) {
    RequestLimits limits;
    limits.max_body_bytes = 10;
    EXPECT_THAT(read(post("Content-Length: 10\r\n", "0123456789"), limits),
                ElementsAre(StartsWith("POST")));
    for (std::string const length : {"11", "18446744073709551615", "99999999999999999999999"}) {
        EXPECT_THAT(read(post("Content-Length: " + length + "\r\n"), limits),
                    ElementsAre("!413 the body exceeds the size limit"));
    }
    auto const chunked = [&](std::string_view chunks) {
        return read(post("Transfer-Encoding: chunked\r\n", chunks), limits).back();
    };
    EXPECT_THAT(chunked("5\r\n01234\r\n5\r\n01234\r\n0\r\n\r\n"), StartsWith("POST"));
    EXPECT_EQ(chunked("B\r\n"), "!413 the body exceeds the size limit");
    EXPECT_EQ(chunked("5\r\n01234\r\n6\r\n"), "!413 the body exceeds the size limit");
    EXPECT_EQ(chunked("FFFFFFFFFFFFFFFF\r\n"), "!413 the body exceeds the size limit");
}

TEST(Hardening, R01_a_body_in_chunks_of_one_byte_is_counted_as_it_arrives) {
    RequestLimits limits;
    limits.max_body_bytes = 1000;
    RequestReader reader(limits);
    auto const head = post("Transfer-Encoding: chunked\r\n");
    reader.feed(head);
    ASSERT_EQ(reader.next(), Event::head);
    std::size_t bytes = 0;
    for (int i = 0; i < 10'000 && bytes <= 1000; ++i) {
        reader.feed("1\r\nx\r\n");
        Event event;
        while ((event = reader.next()) == Event::body) bytes += reader.body().size();
        if (event == Event::failed) break;
    }
    EXPECT_EQ(bytes, 1000U);
    EXPECT_EQ(reader.rejection().status, Status::content_too_large);
    EXPECT_EQ(reader.capacity(), 1024U) << "the body does not pile up in the reader";
}

TEST(Hardening, S26_heads_that_could_be_read_in_two_ways_are_refused) {
    Strings const heads = {
        // Content-Length and Transfer-Encoding together, in either order.
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        // Codings that one side ignores and another does not.
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: identity, chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
        "Transfer-Encoding: chunked;q=1\r\n",
        "Transfer-Encoding: \"chunked\"\r\n",
        "Transfer-Encoding:\r\n",
        "Transfer-Encoding: \x0b"
        "chunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        " Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding\t: chunked\r\n",
        "Transfer-Encoding:\r\n chunked\r\n",
        "X: y\r\n\tTransfer-Encoding: chunked\r\n",
        "X: y\nTransfer-Encoding: chunked\r\n",
        "X: y\rTransfer-Encoding: chunked\r\n",
        // Lengths.
        "Content-Length: 4\r\nContent-Length: 4\r\n",
        "Content-Length: 4\r\nContent-Length: 5\r\n",
        "Content-Length: 4, 4\r\n",
        "Content-Length: +4\r\n",
        "Content-Length: -4\r\n",
        "Content-Length: 0x4\r\n",
        "Content-Length: 4 4\r\n",
        "Content-Length: 4.0\r\n",
        "Content-Length: \r\n",
        "Content-Length: four\r\n",
        "Content-Length : 4\r\n",
        // Hosts and field lines.
        "Host: b\r\n",
        "host: a\r\n",
        "no colon\r\n",
        ": no name\r\n",
        "na me: x\r\n",
        "na\xC3\xA9me: x\r\n",
        "X: a\rb\r\n",
        "X: a\x01\r\n",
        "X: a\x7f\r\n",
        std::string("X: a\0b\r\n", 8),
        "X: a\nb: c\r\n",
        "X: folded\r\n value\r\n",
        "X: folded\r\n\tvalue\r\n",
    };
    for (auto const& head : heads) {
        auto const next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
        EXPECT_THAT(read(post(head, std::string("0\r\n\r\n") + next)),
                    ElementsAre(StartsWith("!400")))
            << head;
    }
    EXPECT_THAT(read("POST /mcp HTTP/1.1\r\n\r\n"), ElementsAre("!400 Host is missing"));
    EXPECT_THAT(read("POST /mcp HTTP/1.1\nHost: a\n\n"), ElementsAre(StartsWith("!400")));
    EXPECT_THAT(read("\r\nPOST /mcp HTTP/1.1\r\nHost: a\r\n\r\n"),
                ElementsAre("!400 the message begins with an empty line"));
    EXPECT_THAT(read("POST /mcp HTTP/1.1\r\n Host: a\r\n\r\n"),
                ElementsAre("!400 a header line is folded"));
}

TEST(Hardening, S26_chunks_that_could_be_read_in_two_ways_are_refused) {
    for (std::string_view const chunks : {"\r\n",
                                          "x\r\n",
                                          "-1\r\nx\r\n0\r\n\r\n",
                                          "0x1\r\nx\r\n0\r\n\r\n",
                                          "1\nx\r\n0\r\n\r\n",
                                          "1\r\nx\n0\r\n\r\n",
                                          "1\r\nxx\r\n0\r\n\r\n",
                                          "1 \r\nx\r\n0\r\n\r\n",
                                          "1;a=b\r\nx\r\n0\r\n\r\n",
                                          "1;a\nx\r\n0\r\n\r\n",
                                          "1\r\rx\r\n0\r\n\r\n",
                                          "00000000000000001\r\nx\r\n0\r\n\r\n",
                                          "0\r\nX: y\r\n\r\n",
                                          "0\r\nContent-Length: 5\r\n\r\n",
                                          "0\r\n\n",
                                          "0\r\n\rGET",
                                          "1\r\nx\rx0\r\n\r\n",
                                          "0\n\n",
                                          ";\r\n",
                                          " 1\r\nx\r\n0\r\n\r\n"}) {
        auto const requests = read(post("Transfer-Encoding: chunked\r\n", chunks) +
                                   "GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
        ASSERT_EQ(requests.size(), 2U) << chunks;
        EXPECT_THAT(requests[1], StartsWith("!400")) << chunks;
    }
}

TEST(Hardening, S26_nothing_is_read_after_a_refusal) {
    RequestReader reader;
    auto const stream = post("Content-Length: 1, 1\r\n", "x") + post("Content-Length: 1\r\n", "x");
    reader.feed(stream);
    EXPECT_EQ(reader.next(), Event::failed);
    EXPECT_TRUE(reader.rejection().close);
    EXPECT_EQ(reader.unread(), "");
    reader.feed(post("Content-Length: 1\r\n", "x"));
    EXPECT_EQ(reader.next(), Event::failed);
    EXPECT_FALSE(reader.idle());
}

TEST(RequestReader, a_connection_cut_off_at_any_byte_gives_no_complete_request) {
    auto const stream = post("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n");
    for (std::size_t size = 0; size < stream.size(); ++size) {
        auto const requests = requests_of({std::string_view(stream).substr(0, size)});
        EXPECT_TRUE(requests.empty() || requests[0].ends_with("...")) << size;
    }
}

TEST(Fields, are_found_by_name_in_any_case) {
    auto const head = head_of(post("X-A: 1\r\nx-a: 2\r\nMCP-SESSION-ID: s\r\naccept: b\r\n"));
    auto const& fields = head.fields;
    EXPECT_EQ(fields.find(FieldName::mcp_session_id), "s");
    EXPECT_EQ(fields.find(FieldName::origin), std::nullopt);
    EXPECT_EQ(fields.find("x-A"), "1");
    EXPECT_EQ(fields.find("x-b"), std::nullopt);
    EXPECT_EQ(fields.count("X-A"), 2U);
    EXPECT_FALSE(fields.repeated(FieldName::accept));
    EXPECT_FALSE(fields.lists(FieldName::upgrade, "x"));
    for (std::size_t i = 1; i < field_name_count; ++i) {
        auto const name = static_cast<FieldName>(i);
        EXPECT_EQ(field_name(to_string(name)), name);
    }
    EXPECT_EQ(field_name("X"), FieldName::other);
    EXPECT_EQ(to_string(FieldName::other), "");
}

TEST(Fields, values_hold_no_control_character_anywhere) {
    for (int c = 0; c < 256; ++c) {
        bool const allowed = (c >= 0x20 && c != 0x7F) || c == '\t';
        for (std::size_t at = 0; at < 20; ++at) {
            std::string value(20, 'x');
            value[at] = static_cast<char>(c);
            EXPECT_EQ(is_field_value(value), allowed) << c << " at " << at;
        }
    }
    EXPECT_TRUE(is_field_value(""));
}

}  // namespace
}  // namespace lanyard::http
