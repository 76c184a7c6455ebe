// Framing: rules S-02 and S-03, values at the limits, and the same messages however the bytes are
// split.
#include "jsonrpc/framing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/framing.hpp"

namespace lanyard::rpc {
namespace {

using lanyard::test::feed;
using lanyard::test::frames_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Strings = std::vector<std::string>;

Strings lines(std::string_view stream, std::size_t limit = 1000) {
    return frames_of(LineReader(limit), {stream});
}

Strings blocks(std::string_view stream, std::size_t limit = 1000) {
    return frames_of(ContentLengthReader(limit), {stream});
}

constexpr auto too_long = "!the message exceeds the size limit";

TEST(Rule, S02_lf_ends_a_message) {
    EXPECT_THAT(lines("{}\n[1]\n"), ElementsAre(">{}", ">[1]"));
}

TEST(Rule, S03_only_a_cr_before_lf_is_tolerated) {
    EXPECT_THAT(lines("{}\r\n{\r}\r\n1\r\r\n"), ElementsAre(">{}", ">{\r}", ">1\r"));
}

TEST(Lines, blank_lines_are_skipped) {
    EXPECT_THAT(lines("\n\r\n \t\r\n\n{}\n\n"), ElementsAre(">{}"));
    EXPECT_THAT(frames_of(LineReader(), {" ", "\n", " ", "\t\r", "\n1", "\n"}), ElementsAre(">1"));
}

TEST(Lines, noise_is_a_message_like_any_other) {
    EXPECT_THAT(lines("Listening...\n{}\n"), ElementsAre(">Listening...", ">{}"));
}

TEST(Lines, the_last_message_may_lack_its_line_end) {
    EXPECT_THAT(lines("{}\n{\"a\":1}"), ElementsAre(">{}", ">{\"a\":1}"));
    EXPECT_THAT(lines("{}\r"), ElementsAre(">{}"));
    EXPECT_THAT(lines("{}\n "), ElementsAre(">{}"));
    EXPECT_THAT(lines(""), IsEmpty());
}

TEST(Lines, a_line_within_one_chunk_is_not_copied) {
    std::string const chunk = "{\"a\":1}\n{\"b\":2}\n{\"c\"";
    LineReader reader;
    reader.feed(chunk);
    EXPECT_EQ(reader.next()->text.data(), chunk.data());
    EXPECT_EQ(reader.next()->text.data(), chunk.data() + 8);
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_EQ(reader.buffered(), 4U);
    reader.feed(":3}\n");
    EXPECT_EQ(reader.next()->text, "{\"c\":3}");
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_EQ(reader.buffered(), 0U);
}

TEST(Lines, the_limit_counts_the_message_without_its_line_end) {
    for (auto const* end : {"\n", "\r\n"}) {
        for (std::size_t cut = 0; cut <= 8; ++cut) {
            auto with = [&](std::size_t size) {
                auto const stream = std::string(size, 'x') + end + "{}\n";
                auto const first = std::string_view(stream).substr(0, cut);
                return frames_of(LineReader(5), {first, std::string_view(stream).substr(cut)});
            };
            EXPECT_THAT(with(4), ElementsAre(">xxxx", ">{}"));
            EXPECT_THAT(with(5), ElementsAre(">xxxxx", ">{}"));
            EXPECT_THAT(with(6), ElementsAre(too_long, ">{}"));
            EXPECT_THAT(with(7), ElementsAre(too_long, ">{}"));
        }
    }
    EXPECT_THAT(lines("xxxxx\ry\n", 5), ElementsAre(too_long));
    EXPECT_THAT(lines("xxxxx\r", 5), ElementsAre(">xxxxx"));
    EXPECT_THAT(lines("xxxxxx", 5), ElementsAre(too_long));
}

TEST(Lines, a_line_that_is_too_long_is_reported_once_and_skipped) {
    LineReader reader(5);
    Strings frames;
    feed(reader, "123", frames);
    feed(reader, "456", frames);
    EXPECT_THAT(frames, ElementsAre(too_long));
    EXPECT_EQ(reader.buffered(), 0U);
    feed(reader, "789", frames);
    feed(reader, "0\n{}\n", frames);
    EXPECT_THAT(frames, ElementsAre(too_long, ">{}"));
    EXPECT_THAT(lines("1234567\n7654321\n1\n", 5), ElementsAre(too_long, too_long, ">1"));
}

TEST(Lines, an_unfinished_line_may_be_dropped) {
    LineReader reader(100'000);
    Strings frames;
    for (std::size_t const size : {10U, 80'000U, 120'000U}) {
        feed(reader, "1\n" + std::string(size, 'x'), frames);
        reader.drop_unfinished();
        EXPECT_EQ(reader.buffered(), 0U);
        EXPECT_LE(reader.capacity(), PartialMessage::kept_bytes);
    }
    feed(reader, "2\n", frames);
    EXPECT_THAT(frames, ElementsAre(">1", ">1", ">1", too_long, ">2"));
    EXPECT_EQ(reader.finish(), std::nullopt);
}

// Returns, for each frame of a reader with this limit, the remains of a line that is too long.
std::vector<std::optional<Remains>> remains_of(std::vector<std::string> const& chunks,
                                               std::size_t limit) {
    LineReader reader(limit);
    std::vector<std::optional<Remains>> all;
    auto const note = [&](Frame const& frame) {
        all.push_back(frame.remains != nullptr ? std::optional(*frame.remains) : std::nullopt);
    };
    for (auto const& chunk : chunks) {
        reader.feed(chunk);
        while (auto const frame = reader.next()) note(*frame);
    }
    if (auto const last = reader.finish()) note(*last);
    return all;
}

TEST(Lines, a_message_that_is_too_long_is_reported_with_its_id) {
    Remains const answer{Intent::response, RequestId(7)};
    auto const payload = std::string(100, 'x');
    std::string const first = R"({"jsonrpc":"2.0","id":7,"result":{"a":")" + payload + "\"}}\n";
    std::string const last = R"({"result":{"a":")" + payload +
                             R"("},"jsonrpc":"2.0","id":7})"
                             "\n";
    for (auto const& line : {first, last}) {
        for (std::size_t cut = 0; cut <= line.size(); ++cut) {
            EXPECT_THAT(remains_of({line.substr(0, cut), line.substr(cut), "{}\n"}, 100),
                        ElementsAre(answer, std::nullopt))
                << cut;
        }
    }
    EXPECT_THAT(remains_of({last.substr(0, last.size() - 1)}, 100), ElementsAre(answer))
        << "the stream ends without a line end";
    Remains const question{Intent::request, RequestId("q")};
    EXPECT_THAT(remains_of({R"({"id":"q","method":"m","params":{)" + payload + "}}\n"}, 20),
                ElementsAre(question));
}

TEST(Lines, the_search_for_an_id_is_limited) {
    LineReader reader(100);
    std::size_t fed = 0;
    std::size_t reports = 0;
    std::size_t reported_at = 0;
    std::string const begin = R"({"result":{"a":")";
    reader.feed(begin);
    EXPECT_FALSE(reader.next());
    for (; fed < 1000; fed += 10) {
        reader.feed("0123456789");
        if (!reader.next()) continue;
        ++reports;
        reported_at = fed;
    }
    EXPECT_EQ(reports, 1U);
    EXPECT_LT(reported_at, 210U);
    reader.feed(R"("},"id":1})"
                "\n{}\n");
    EXPECT_EQ(reader.next()->text, "{}");
}

TEST(Lines, a_byte_order_mark_before_the_first_line_is_ignored) {
    EXPECT_THAT(lines("\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}\n"), ElementsAre(">{}", ">\xEF\xBB\xBF{}"));
    EXPECT_THAT(frames_of(LineReader(), {"\xEF", "\xBB", "\xBF", "{}", "\n"}), ElementsAre(">{}"));
    EXPECT_THAT(lines("\xEF\xBB\xBF\r\n{}\n"), ElementsAre(">{}"));
    EXPECT_THAT(lines("\n\xEF\xBB\xBF{}\n"), ElementsAre(">\xEF\xBB\xBF{}"));
    EXPECT_THAT(lines("\xEF\xBB{}\n"), ElementsAre(">\xEF\xBB{}"));
}

TEST(Lines, the_end_of_the_stream_ends_skipping) {
    LineReader reader(2);
    Strings frames;
    feed(reader, "123", frames);
    EXPECT_EQ(reader.finish(), std::nullopt);
    feed(reader, "12\n", frames);
    EXPECT_THAT(frames, ElementsAre(too_long, ">12"));
}

TEST(Hardening, R02_a_gigabyte_without_a_line_end_is_not_buffered) {
    constexpr std::size_t limit = 16 * 1024 * 1024;
    std::string const chunk(64 * 1024, 'x');
    LineReader reader(limit);
    std::size_t frames = 0;
    std::size_t most = 0;
    for (std::size_t fed = 0; fed < 1024 * 1024 * 1024; fed += chunk.size()) {
        reader.feed(chunk);
        while (auto const frame = reader.next()) {
            EXPECT_EQ(frame->kind, Frame::Kind::too_long);
            ++frames;
        }
        most = std::max(most, reader.capacity());
    }
    EXPECT_EQ(frames, 1U);
    EXPECT_LE(most, limit + 64);
    EXPECT_LT(reader.capacity(), 64U);
    reader.feed("\n{}\n");
    EXPECT_EQ(reader.next()->text, "{}");
}

TEST(Hardening, R02_exactly_the_limit_and_crlf_is_accepted) {
    constexpr std::size_t limit = 16 * 1024 * 1024;
    std::string const message(limit, 'x');
    LineReader reader;
    reader.feed(std::string_view(message).substr(0, 1000));
    EXPECT_FALSE(reader.next());
    reader.feed(std::string_view(message).substr(1000));
    EXPECT_FALSE(reader.next());
    reader.feed("\r");
    EXPECT_FALSE(reader.next());
    reader.feed("\n");
    EXPECT_EQ(reader.next()->text.size(), limit);
    EXPECT_FALSE(reader.next());
    EXPECT_LT(reader.capacity(), 64U);
}

TEST(Hardening, R28_every_stream_can_be_cut_at_every_byte) {
    std::string const stream =
        "{\"a\":\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"}\r\n\n\r\nnoise\n\xEF\xBB\xBF{}\n{\r}\n"
        "this line is longer than the limit\n  \n{\"last\":1}";
    auto const whole = frames_of(LineReader(20), {stream});
    EXPECT_EQ(whole.size(), 6U);
    for (std::size_t first = 0; first <= stream.size(); ++first) {
        for (std::size_t second = first; second <= stream.size(); ++second) {
            std::string_view const view(stream);
            EXPECT_EQ(frames_of(LineReader(20),
                                {view.substr(0, first), view.substr(first, second - first),
                                 view.substr(second)}),
                      whole)
                << first << " " << second;
        }
    }
}

// The memory of several readers together.

class LineBudget : public ::testing::Test {
protected:
    static constexpr std::size_t kib = 1024;
    static constexpr auto no_room = "!the messages that are arriving have too many bytes together";

    ByteBudget budget{1'000 * kib};
    LineReader one{LineReader::default_max_bytes, &budget};
    LineReader two{LineReader::default_max_bytes, &budget};
    Strings frames;
};

TEST_F(LineBudget, unfinished_lines_count_by_their_memory) {
    feed(one, std::string(400 * kib, 'x'), frames);
    EXPECT_EQ(budget.used(), one.capacity());
    EXPECT_GE(budget.used(), 400 * kib);
    feed(one, "\n", frames);
    EXPECT_EQ(budget.used(), 0U);
    EXPECT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames.at(0).size(), 400 * kib + 1);
}

TEST_F(LineBudget, a_line_beyond_the_budget_is_dropped_and_reported_with_its_id) {
    std::string const begin = R"({"jsonrpc":"2.0","id":7,"method":"m","params":")";
    feed(one, std::string(400 * kib, 'x'), frames);
    two.feed(begin);
    EXPECT_FALSE(two.next());
    std::string const more(600 * kib, 'y');
    two.feed(more);
    auto const refused = two.next();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->kind, Frame::Kind::no_room);
    ASSERT_NE(refused->remains, nullptr);
    EXPECT_EQ(refused->remains->id, RequestId(7));
    EXPECT_FALSE(two.next());
    EXPECT_LT(two.capacity(), 65 * kib);
    EXPECT_EQ(budget.refused(), 1U);
    // The rest of the line is skipped, also if it is endless, and costs nothing.
    for (int i = 0; i < 100; ++i) feed(two, more, frames);
    EXPECT_THAT(frames, IsEmpty());
    EXPECT_EQ(budget.used(), one.capacity());
    feed(two, "\"}\n{}\n", frames);
    EXPECT_THAT(frames, ElementsAre(">{}"));
}

TEST_F(LineBudget, a_line_that_ends_beyond_the_budget_is_reported_at_its_end) {
    feed(one, std::string(400 * kib, 'x'), frames);
    feed(two, std::string(63 * kib, 'y'), frames);
    feed(two, std::string(500 * kib, 'y') + "\n{}\n", frames);
    EXPECT_THAT(frames, ElementsAre(no_room, ">{}"));
}

TEST_F(LineBudget, small_lines_and_whole_lines_are_accepted_if_the_budget_is_used_up) {
    BudgetShare other(&budget, 0);
    other.set(1'000 * kib);
    feed(two, std::string(60 * kib, 'y'), frames);
    feed(two, "\n" + std::string(500 * kib, 'z') + "\n", frames);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].size(), 60 * kib + 1);
    // A line that arrives in one piece needs no memory.
    EXPECT_EQ(frames[1].size(), 500 * kib + 1);
    EXPECT_EQ(budget.refused(), 0U);
}

TEST_F(LineBudget, a_line_is_accepted_when_there_is_room_again) {
    {
        LineReader former(LineReader::default_max_bytes, &budget);
        feed(former, std::string(500 * kib, 'x'), frames);
        feed(two, std::string(300 * kib, 'y'), frames);
        feed(two, "\n", frames);
        EXPECT_THAT(frames, ElementsAre(no_room));
    }
    EXPECT_EQ(budget.used(), 0U);
    feed(two, std::string(300 * kib, 'y'), frames);
    feed(two, "\n", frames);
    EXPECT_EQ(frames.at(1).size(), 300 * kib + 1);
}

TEST_F(LineBudget, a_line_that_is_too_long_is_reported_as_such) {
    LineReader small(100 * kib, &budget);
    feed(small, std::string(150 * kib, 'x'), frames);
    feed(small, std::string(150 * kib, 'x') + "\n", frames);
    EXPECT_THAT(frames, ElementsAre(too_long));
}

TEST(Lines, growing_costs_linear_copies) {
    // Fed byte by byte, the buffer of a message grows by doubling and never exceeds twice its size.
    LineReader reader;
    for (std::size_t i = 0; i < 100'000; ++i) {
        reader.feed("x");
        EXPECT_FALSE(reader.next());
    }
    EXPECT_EQ(reader.buffered(), 100'000U);
    EXPECT_LE(reader.capacity(), 131'072U);
}

TEST(ContentLength, messages_follow_their_length) {
    EXPECT_THAT(blocks("Content-Length: 2\r\n\r\n{}Content-Length: 5\r\n\r\n[\r\n1]"),
                ElementsAre(">{}", ">[\r\n1]"));
}

TEST(ContentLength, names_ignore_case_and_other_fields_are_ignored) {
    EXPECT_THAT(blocks("content-length:2\r\nX-Other: y\r\n\r\n{}"), ElementsAre(">{}"));
    EXPECT_THAT(blocks("CONTENT-LENGTH: \t2 \r\nContent-Type: application/vscode-jsonrpc; "
                       "charset=utf-8\r\n\r\n{}"),
                ElementsAre(">{}"));
    EXPECT_THAT(blocks("Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"),
                ElementsAre(">{}"));
    EXPECT_THAT(blocks("Content-Type: x; charset=\"UTF8\"\r\nContent-Length: 2\r\n\r\n{}"),
                ElementsAre(">{}"));
    EXPECT_THAT(blocks("Content-Length: 2\r\nx!#$%&'*+-.^_`|~09: \r\n\r\n{}"), ElementsAre(">{}"));
}

TEST(ContentLength, an_empty_message_is_skipped) {
    EXPECT_THAT(
        blocks("Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1Content-Length: 0\r\n\r\n"),
        ElementsAre(">1"));
}

TEST(ContentLength, a_message_within_one_chunk_is_not_copied) {
    std::string const chunk = "Content-Length: 2\r\n\r\n{}";
    ContentLengthReader reader;
    reader.feed(chunk);
    EXPECT_EQ(reader.next()->text.data(), chunk.data() + 21);
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_EQ(reader.finish(), std::nullopt);
}

TEST(ContentLength, a_bad_header_breaks_the_stream) {
    auto const malformed = "!a header line is not \"Name: value\"";
    auto const no_number = "!Content-Length is not a number of bytes";
    for (auto const& [header, reason] : std::vector<std::pair<std::string, std::string>>{
             {"\r\n", "!a header block has no Content-Length"},
             {"X: 1\r\n\r\n", "!a header block has no Content-Length"},
             {"{\"jsonrpc\":\"2.0\"}\n", "!a header line does not end with CR LF"},
             {"Content-Length: 2\n\n{}", "!a header line does not end with CR LF"},
             {"\n", "!a header line does not end with CR LF"},
             {"Content-Length 2\r\n\r\n{}", malformed},
             {": 2\r\n\r\n{}", malformed},
             {"Content-Length : 2\r\n\r\n{}", malformed},
             {" Content-Length: 2\r\n\r\n{}", malformed},
             {"Content-Length: 2\r\n folded\r\n\r\n{}", malformed},
             {std::string("Content-Length\0: 2\r\n\r\n{}", 25), malformed},
             {"Content-Length: \r\n\r\n{}", no_number},
             {"Content-Length: -1\r\n\r\n{}", no_number},
             {"Content-Length: +2\r\n\r\n{}", no_number},
             {"Content-Length: 2x\r\n\r\n{}", no_number},
             {"Content-Length: 0x2\r\n\r\n{}", no_number},
             {"Content-Length: 2, 2\r\n\r\n{}", no_number},
             {"Content-Length: 99999999999999999999\r\n\r\n{}", no_number},
             {"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
              "!a header block has Content-Length twice"},
             {"Content-Length: 2\r\nContent-Type: a; charset=utf-16\r\n\r\n{}",
              "!Content-Type names a charset other than UTF-8"},
             {"Content-Length: 2\r\nContent-Type: a; charset=\"\r\n\r\n{}",
              "!Content-Type names a charset other than UTF-8"},
             {"Content-Length: 2\r\nContent-Type: a; charset=\"utf-8\r\n\r\n{}",
              "!Content-Type names a charset other than UTF-8"},
         }) {
        auto const stream = header + "Content-Length: 2\r\n\r\n{}";
        EXPECT_THAT(blocks(stream), ElementsAre(reason)) << header;
        ContentLengthReader reader;
        Strings frames;
        feed(reader, stream, frames);
        feed(reader, "Content-Length: 2\r\n\r\n{}", frames);
        EXPECT_THAT(frames, ElementsAre(reason)) << header;
    }
}

TEST(ContentLength, header_blocks_are_limited) {
    auto block = [](std::size_t size) {
        std::string const fixed = "Content-Length: 2\r\nX: \r\n\r\n";
        return "Content-Length: 2\r\nX: " + std::string(size - fixed.size(), 'y') + "\r\n\r\n";
    };
    EXPECT_THAT(blocks(block(4095) + "{}" + block(4096) + "{}"), ElementsAre(">{}", ">{}"));
    EXPECT_THAT(blocks(block(4097) + "{}"),
                ElementsAre("!a header block is longer than 4096 bytes"));
    EXPECT_THAT(blocks(std::string(1'000'000, 'x')),
                ElementsAre("!a header block is longer than 4096 bytes"));
}

TEST(ContentLength, the_limit_is_the_announced_length) {
    auto with = [](std::size_t size) {
        std::string stream;
        append_content_length(stream, size);
        return blocks(stream + std::string(size, 'x'), 5);
    };
    EXPECT_THAT(with(4), ElementsAre(">xxxx"));
    EXPECT_THAT(with(5), ElementsAre(">xxxxx"));
    EXPECT_THAT(with(6), ElementsAre(too_long));
}

TEST(ContentLength, an_announced_length_reserves_nothing) {
    ContentLengthReader reader;
    reader.feed("Content-Length: 16000000\r\n\r\n{");
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.buffered(), 1U);
    EXPECT_LE(reader.capacity(), 1024U);
}

TEST(ContentLength, a_stream_that_ends_inside_a_message_is_broken) {
    auto const cut = "!the stream ended inside a message";
    EXPECT_THAT(blocks("Content-Length: 2\r\n\r\n{"), ElementsAre(cut));
    EXPECT_THAT(blocks("Content-Length: 2\r\n\r\n"), ElementsAre(cut));
    EXPECT_THAT(blocks("Content-Length: 2\r\n"), ElementsAre(cut));
    EXPECT_THAT(blocks("C"), ElementsAre(cut));
    EXPECT_THAT(blocks(""), IsEmpty());
}

TEST(Hardening, R28_content_length_streams_can_be_cut_at_every_byte) {
    std::string const stream =
        "Content-Length: 12\r\nContent-Type: a; charset=utf-8\r\n\r\n{\"a\":\"\xC3\xA4\"}\r\n"
        "content-length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]Content-Length: 999\r\n\r\n";
    auto const whole = frames_of(ContentLengthReader(20), {stream});
    EXPECT_THAT(whole, ElementsAre(">{\"a\":\"\xC3\xA4\"}\r\n", ">{}", ">[1]", too_long));
    std::string_view const view(stream);
    for (std::size_t first = 0; first <= stream.size(); ++first) {
        for (std::size_t second = first; second <= stream.size(); ++second) {
            EXPECT_EQ(frames_of(ContentLengthReader(20),
                                {view.substr(0, first), view.substr(first, second - first),
                                 view.substr(second)}),
                      whole)
                << first << " " << second;
        }
    }
}

TEST(FirstLines, are_the_consecutive_messages_of_a_buffer) {
    std::string const buffer = "{}\n[1]\r\n\"a\"\n\n{}";
    std::string_view const bytes = buffer;
    auto const message = [&](std::size_t at, std::size_t size) {
        return Frame{Frame::Kind::message, bytes.substr(at, size)};
    };
    std::vector<Frame> frames{message(0, 2), message(3, 3), message(8, 3), message(13, 2)};
    auto const lines = first_lines(frames);
    EXPECT_EQ(lines.count, 3U);
    EXPECT_EQ(lines.text, bytes.substr(0, 11));
    EXPECT_EQ(first_lines(std::span(frames).subspan(2)).count, 1U) << "an empty line is between";
    EXPECT_EQ(first_lines(std::span(frames).subspan(3)).text, "");

    std::vector<Frame> const backwards{frames[1], frames[0]};
    EXPECT_EQ(first_lines(backwards).count, 1U);
    std::vector<Frame> const touching{message(0, 2), message(2, 1), message(3, 2), message(6, 4)};
    EXPECT_EQ(first_lines(touching).count, 1U);
    EXPECT_EQ(first_lines(std::span(touching).subspan(2)).count, 1U);

    frames[1].kind = Frame::Kind::too_long;
    EXPECT_EQ(first_lines(frames).count, 1U);
    EXPECT_EQ(first_lines(std::span(frames).subspan(1)).count, 1U);
}

TEST(FirstLines, are_limited_to_the_size_of_the_cache) {
    std::string buffer;
    std::vector<Frame> frames;
    for (int i = 0; i < 5; ++i) buffer += std::string(6'000, ' ') + "\n";
    for (std::size_t i = 0; i < 5; ++i) {
        frames.push_back({Frame::Kind::message, std::string_view(buffer).substr(i * 6'001, 6'000)});
    }
    EXPECT_EQ(first_lines(frames).count, 2U);
    EXPECT_EQ(first_lines(frames).text.size(), 12'001U);
}

}  // namespace
}  // namespace lanyard::rpc
