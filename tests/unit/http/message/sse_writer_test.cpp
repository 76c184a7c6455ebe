// The event writer: its output, and that the content of an event cannot forge another event.
#include "http/message/sse_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/http.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;
using test::events_of;
using ::testing::ElementsAre;

std::string written(SseFields const& fields, std::string_view data) {
    std::string out;
    append_event(out, fields, data);
    return out;
}

std::string written_in_place(SseFields const& fields, std::string_view data) {
    std::string out;
    auto const begin = begin_event(out, fields);
    out += data;
    end_event(out, begin);
    return out;
}

TEST(SseWriter, writes_only_fields_that_are_set) {
    EXPECT_EQ(written({}, "{}"), "data: {}\n\n");
    EXPECT_EQ(written({.id = "a-1", .event = "message", .retry = 1500ms}, "{}"),
              "event: message\nid: a-1\nretry: 1500\ndata: {}\n\n");
}

TEST(SseWriter, data_of_several_lines_becomes_several_fields) {
    EXPECT_EQ(written({}, "a\nb\r\nc\rd\n"), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
    EXPECT_THAT(events_of({written({}, "a\nb\r\nc\rd\n")}), ElementsAre("message|a\nb\nc\nd\n|"));
}

TEST(SseWriter, data_can_be_written_directly_into_the_buffer) {
    for (std::string_view const data : {"", "{}", "a\nb", "\r", "\n\n", "a\r\n", " a"}) {
        SseFields const fields{.id = "7"};
        EXPECT_EQ(written_in_place(fields, data), written(fields, data)) << data;
    }
}

TEST(SseWriter, appends_to_existing_data) {
    std::string out = "data: a\n\n";
    auto const begin = begin_event(out, {});
    out += "b\nc";
    end_event(out, begin);
    EXPECT_EQ(out, "data: a\n\ndata: b\ndata: c\n\n");
}

TEST(SseWriter, retry_and_comments_are_not_events) {
    std::string out;
    append_retry(out, 300ms);
    append_comment(out);
    append_comment(out, "a\ndata: b\r\n");
    EXPECT_EQ(out, "retry: 300\n\n: \n\n: adata: b\n\n");
    SseParser parser;
    EXPECT_TRUE(events_of(parser, {out}).empty());
    EXPECT_EQ(parser.retry(), 300ms);
}

TEST(Hardening, S29_no_field_can_forge_a_line) {
    std::string const evil("x\ndata: forged\r\n\r\nid: y\0z", 25);
    auto const stream = written({.id = evil, .event = evil}, "real");
    EXPECT_THAT(events_of({stream}), ElementsAre("xdata: forgedid: yz|real|xdata: forgedid: yz"));
}

TEST(Hardening, S29_any_data_arrives_as_exactly_one_event) {
    std::string const parts[] = {"\n",
                                 "\r",
                                 "\r\n",
                                 ":",
                                 "data:",
                                 " ",
                                 "\xE2\x80\xA8",
                                 "\xE2\x80\xA9",
                                 std::string(1, '\0'),
                                 "id: 1",
                                 "{}"};
    for (auto const& a : parts) {
        for (auto const& b : parts) {
            for (auto const& c : parts) {
                auto const data = a + b + c;
                std::string expected;
                for (std::size_t i = 0; i < data.size(); ++i) {
                    if (data[i] != '\r') {
                        expected += data[i];
                    } else if (i + 1 == data.size() || data[i + 1] != '\n') {
                        expected += '\n';
                    }
                }
                EXPECT_THAT(events_of({written({.id = "1"}, data)}),
                            ElementsAre("message|" + expected + "|1"));
            }
        }
    }
}

}  // namespace
}  // namespace lanyard::http
