// Event streams: the cases of the web platform tests (eventsource/format-*), values at the limits,
// and the same events however the bytes are split.
#include "http/message/sse_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/http.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;
using test::cut_at;
using test::cut_every;
using test::events_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Strings = std::vector<std::string>;

// Returns the data of every event, which must be the same wherever the stream is split.
Strings data_of(std::string_view stream) {
    auto const whole = events_of({stream});
    for (std::size_t at = 0; at <= stream.size(); ++at) {
        EXPECT_EQ(events_of(cut_at(stream, at)), whole) << "cut at " << at;
    }
    EXPECT_EQ(events_of(cut_every(stream, 1)), whole);
    Strings data;
    for (auto const& event : whole) {
        auto const begin = event.find('|') + 1;
        data.push_back(event.substr(begin, event.rfind('|') - begin));
    }
    return data;
}

template <std::size_t N>
std::string_view bytes(char const (&text)[N]) {
    return {text, N - 1};  // the text may hold NUL
}

TEST(EventStream, a_byte_order_mark_is_ignored_only_at_the_beginning) {
    EXPECT_THAT(data_of("\xEF\xBB\xBF"
                        "data:1\n\n\xEF\xBB\xBF"
                        "data:2\n\ndata:3\n\n"),
                ElementsAre("1", "3"));
    EXPECT_THAT(data_of("\xEF\xBB\xBF\xEF\xBB\xBF"
                        "data:1\n\ndata:2\n\n"),
                ElementsAre("2"));
    EXPECT_THAT(data_of("\xEF\xBB\xBF"
                        ":note\ndata:1\n\n"),
                ElementsAre("1"));
    EXPECT_THAT(data_of(":\n\xEF\xBB\xBF"
                        "data:1\n\n"),
                IsEmpty());
}

TEST(EventStream, comments_are_ignored_at_any_place) {
    auto const long_comment = ":" + std::string(3000, 'x');
    EXPECT_THAT(data_of(std::string(bytes("data:1\r:\0\n:\r\ndata:2\n")) + long_comment +
                        "\rdata:3\n:data:no\r" + long_comment + "\ndata:4\n\n"),
                ElementsAre("1\n2\n3\n4"));
}

TEST(EventStream, an_event_without_an_empty_line_is_not_delivered) {
    SseParser parser;
    EXPECT_THAT(events_of(parser, {"retry:1000\ndata:one\n\nid:test\ndata:two"}),
                ElementsAre("message|one|"));
    EXPECT_EQ(parser.last_event_id(), "");
    EXPECT_EQ(parser.retry(), 1s);
    EXPECT_GT(parser.buffered(), 0U);
}

TEST(EventStream, data_lines_are_joined_and_an_empty_one_is_an_event) {
    EXPECT_THAT(data_of("data:\n\ndata\ndata\n\ndata:test\n\n"), ElementsAre("", "\n", "test"));
}

TEST(EventStream, the_event_field_names_one_event) {
    EXPECT_THAT(events_of({"event:test\ndata:x\n\ndata:y\n\n"}),
                ElementsAre("test|x|", "message|y|"));
    EXPECT_THAT(events_of({"event: \ndata:x\n\n"}), ElementsAre("message|x|"));
    EXPECT_THAT(events_of({"event:a\nevent:b\ndata:x\n\n"}), ElementsAre("b|x|"));
}

TEST(EventStream, an_event_without_data_is_not_delivered_and_its_name_is_dropped) {
    EXPECT_THAT(events_of({"event:test\n\ndata:x\n\n\n\n"}), ElementsAre("message|x|"));
}

TEST(EventStream, the_last_id_is_kept_until_the_next_one) {
    EXPECT_THAT(events_of({"id: 1\ndata:a\n\ndata:b\n\nid: 2\ndata:c\n\n"}),
                ElementsAre("message|a|1", "message|b|1", "message|c|2"));
    EXPECT_THAT(events_of({"id:1\ndata:a\n\nid\ndata:b\n\n"}),
                ElementsAre("message|a|1", "message|b|"));
    EXPECT_THAT(events_of({"id:1\nid:2\ndata:a\n\n"}), ElementsAre("message|a|2"));
}

TEST(Rule, H14_the_id_of_an_event_with_empty_data_is_recorded) {
    SseParser parser;
    EXPECT_THAT(events_of(parser, {"id: p-1\ndata: \n\n"}), ElementsAre("message||p-1"));
    EXPECT_EQ(parser.last_event_id(), "p-1");
    EXPECT_THAT(events_of(parser, {"id: p-2\n\n"}), IsEmpty());
    EXPECT_EQ(parser.last_event_id(), "p-2");
}

TEST(EventStream, an_id_with_nul_is_ignored) {
    EXPECT_THAT(events_of({bytes("id:a\ndata:1\n\nid:\0b\ndata:2\n\nid:b\0\ndata:3\n\n"
                                 "id:b\0b\ndata:4\n\n")}),
                ElementsAre("message|1|a", "message|2|a", "message|3|a", "message|4|a"));
}

TEST(EventStream, field_names_are_exact) {
    EXPECT_THAT(data_of(bytes("data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\r"
                              "data_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n")),
                ElementsAre(std::string(bytes("\0\n 2\n1\n3\n\n4"))));
}

TEST(EventStream, unknown_fields_are_ignored) {
    EXPECT_THAT(data_of("data:a\n data\ndata\nfoobar:x\nsometext\n:comment\ndata:b\n\n"),
                ElementsAre("a\n\nb"));
}

TEST(EventStream, one_leading_space_is_not_part_of_the_value) {
    EXPECT_THAT(data_of("data:\ta\rdata: \ndata:b\n\ndata:  c\n\n"), ElementsAre("\ta\n\nb", " c"));
}

TEST(EventStream, lines_end_with_cr_or_lf_or_both) {
    EXPECT_THAT(data_of("data:a\r\ndata\ndata:b\r\n\r"), ElementsAre("a\n\nb"));
    EXPECT_THAT(data_of("data:a\r\rdata:b\n\ndata:c\r\n\r\ndata:d\n\r"),
                ElementsAre("a", "b", "c", "d"));
}

TEST(EventStream, nul_and_utf8_pass_through_data) {
    EXPECT_THAT(data_of(bytes("data:\0\n\n\n\n")), ElementsAre(std::string(1, '\0')));
    EXPECT_THAT(data_of("data:\xE2\x80\xA8\xC3\xA9\n\n"), ElementsAre("\xE2\x80\xA8\xC3\xA9"));
}

TEST(EventStream, retry_takes_digits_only) {
    auto const retry_after = [](std::string_view stream) {
        SseParser parser;
        events_of(parser, {stream});
        return parser.retry();
    };
    EXPECT_EQ(retry_after("retry:03000\n"), 3s);
    EXPECT_EQ(retry_after("retry: 0\n"), 0s);
    EXPECT_EQ(retry_after("retry:3000\nretry:1000x\n"), 3s);
    EXPECT_EQ(retry_after("retry:3000\nretry:-1\nretry:\nretry\nretry:1.5\nretry:  1\n"), 3s);
    EXPECT_EQ(retry_after("retry:99999999999999999999999\n"), 2147483647ms);
    EXPECT_EQ(retry_after("retry:2147483648\n"), 2147483647ms);
    EXPECT_EQ(retry_after("Retry:1\n"), std::nullopt);
}

TEST(EventStream, a_new_connection_keeps_id_and_retry_and_drops_the_rest) {
    SseParser parser;
    events_of(parser, {"id:7\nretry:10\ndata:a\n\nevent:x\nid:8\ndata:b\ndata:c"});
    parser.restart();
    EXPECT_EQ(parser.buffered(), 0U);
    EXPECT_THAT(events_of(parser, {"\xEF\xBB\xBF"
                                   "data:d\n\n"}),
                ElementsAre("message|d|7"));
    EXPECT_EQ(parser.retry(), 10ms);
}

TEST(EventStream, data_in_one_piece_is_not_copied) {
    std::string const chunk = "id: 1\ndata: {\"a\":1}\n\n";
    SseParser parser;
    parser.feed(chunk);
    EXPECT_EQ(parser.next()->data.data(), chunk.data() + 12);
    EXPECT_EQ(parser.next(), std::nullopt);
}

TEST(Hardening, R03_an_event_beyond_the_limit_ends_the_stream) {
    for (auto const size : {9U, 10U, 11U}) {
        auto const stream = "data: a\n\ndata: " + std::string(size, 'x') + "\n\ndata: z\n\n";
        auto const whole = events_of({stream}, 10);
        EXPECT_EQ(whole.back() == "!", size > 10) << size;
        EXPECT_EQ(whole.size(), size > 10 ? 2U : 3U);
        for (std::size_t at = 0; at <= stream.size(); ++at) {
            EXPECT_EQ(events_of(cut_at(stream, at), 10), whole);
        }
        EXPECT_EQ(events_of(cut_every(stream, 1), 10), whole);
    }
}

TEST(Hardening, R03_lines_of_one_event_count_together) {
    EXPECT_THAT(events_of({"data: 12345\ndata: 6789\n\n"}, 10),
                ElementsAre("message|12345\n6789|"));
    EXPECT_THAT(events_of({"data: 12345\ndata: 67890\n\n"}, 10), ElementsAre("!"));
    EXPECT_THAT(events_of(cut_every("data: 12345\ndata: 67890\n\n", 3), 10), ElementsAre("!"));
    EXPECT_THAT(events_of({"data: 123\n\ndata: 12345678\n\n"}, 10),
                ElementsAre("message|123|", "message|12345678|"));
}

TEST(Hardening, R03_a_line_that_never_ends_is_refused_before_it_is_buffered) {
    SseParser parser(1000);
    std::string const chunk(400, 'x');
    for (int i = 0; i < 100; ++i) {
        parser.feed(chunk);
        EXPECT_EQ(parser.next(), std::nullopt);
        EXPECT_LE(parser.buffered(), 1006U);
    }
    EXPECT_TRUE(parser.failed());
    parser.restart();
    EXPECT_FALSE(parser.failed());
}

TEST(Hardening, R03_a_comment_that_never_ends_costs_no_memory) {
    SseParser parser(1000);
    std::string chunk = ":" + std::string(4000, 'x');
    for (int i = 0; i < 100; ++i) {
        parser.feed(chunk);
        EXPECT_EQ(parser.next(), std::nullopt);
        EXPECT_EQ(parser.buffered(), 0U);
    }
    EXPECT_THAT(events_of(parser, {"\ndata:a\n\n"}), ElementsAre("message|a|"));
}

TEST(Hardening, R03_ids_and_names_have_their_own_limit) {
    std::string const most(SseParser::max_name_bytes, 'x');
    EXPECT_THAT(events_of({"id:" + most + "\nevent:" + most + "\ndata:a\n\n"}),
                ElementsAre(most + "|a|" + most));
    EXPECT_THAT(events_of({"id:" + most + "x\ndata:a\n\n"}), ElementsAre("!"));
    EXPECT_THAT(events_of({"event:" + most + "x\ndata:a\n\n"}), ElementsAre("!"));
}

TEST(Hardening, R03_a_new_stream_starts_without_the_data_of_a_failed_one) {
    SseParser parser;
    {
        auto const failing = std::make_unique<std::string>(
            "data:old\nevent:" + std::string(SseParser::max_name_bytes + 1, 'x') + "\n\n");
        parser.feed(*failing);
        EXPECT_EQ(parser.next(), std::nullopt);
        EXPECT_TRUE(parser.failed());
    }
    parser.restart();
    EXPECT_THAT(events_of(parser, {"data:n", "ew\n\n"}), ElementsAre("message|new|"));
}

TEST(EventStream, a_stream_cut_off_at_any_byte_gives_the_events_that_were_complete) {
    std::string const stream =
        "\xEF\xBB\xBF: hi\r\nid: 1\r\ndata: \r\n\r\nid: 2\ndata: {\"a\":\ndata: 1}\n\nevent: x\r"
        "data: y\r\rretry: 5\n\n";
    auto const all = events_of({stream});
    ASSERT_EQ(all.size(), 3U);
    for (std::size_t size = 0; size <= stream.size(); ++size) {
        auto const some = events_of({std::string_view(stream).substr(0, size)});
        ASSERT_LE(some.size(), all.size());
        EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << size;
        EXPECT_EQ(events_of(cut_every(std::string_view(stream).substr(0, size), 1)), some);
    }
}

}  // namespace
}  // namespace lanyard::http
