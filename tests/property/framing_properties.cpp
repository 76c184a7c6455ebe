// Framing: any stream, split anywhere, gives the frames that a simple model gives for the whole.
#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/framing.hpp"
#include "property.hpp"
#include "support/framing.hpp"

namespace lanyard::rpc {
namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t limit = 12;
constexpr auto too_long = "!the message exceeds the size limit";

/// Splits the stream into pieces of these sizes.
std::vector<std::string_view> cut(std::string_view stream, std::vector<int> const& sizes) {
    std::vector<std::string_view> chunks;
    for (auto const size : sizes) {
        auto const chunk = stream.substr(0, static_cast<std::size_t>(size));
        chunks.push_back(chunk);
        stream.remove_prefix(chunk.size());
    }
    chunks.push_back(stream);
    return chunks;
}

std::vector<int> any_cuts() {
    return *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20));
}

/// The frames of a newline-delimited stream according to its definition.
Strings model_of(std::string_view stream) {
    Strings frames;
    for (std::size_t begin = 0; begin < stream.size();) {
        auto const end = std::min(stream.find('\n', begin), stream.size());
        auto line = stream.substr(begin, end - begin);
        begin = end + 1;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.size() > limit) {
            frames.emplace_back(too_long);
        } else if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
            frames.push_back(">" + std::string(line));
        }
    }
    return frames;
}

TEST(FramingProperty, lines_do_not_depend_on_how_the_stream_is_cut) {
    test::check_property([] {
        // Few different bytes, so that those with a special meaning are frequent.
        auto const stream = *rc::gen::scale(
            3.0,
            rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab{\xC3\r\n\n "))));
        RC_ASSERT(test::frames_of(LineReader(limit), cut(stream, any_cuts())) == model_of(stream));
    });
}

TEST(FramingProperty, lines_of_messages_round_trip) {
    test::check_property([] {
        auto const messages = *rc::gen::container<Strings>(
            rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(0x21, 0x7f))));
        std::string stream;
        Strings expected;
        for (auto const& message : messages) {
            stream += message + (*rc::gen::arbitrary<bool>() ? "\r\n" : "\n");
            expected.push_back(">" + message);
        }
        RC_ASSERT(test::frames_of(LineReader(1000), cut(stream, any_cuts())) == expected);
    });
}

TEST(FramingProperty, announced_messages_round_trip) {
    test::check_property([] {
        auto const messages =
            *rc::gen::container<Strings>(rc::gen::nonEmpty(rc::gen::arbitrary<std::string>()));
        std::string stream;
        Strings expected;
        for (auto const& message : messages) {
            append_content_length(stream, message.size());
            stream += message;
            expected.push_back(">" + message);
        }
        RC_ASSERT(test::frames_of(ContentLengthReader(1000), cut(stream, any_cuts())) == expected);
    });
}

TEST(FramingProperty, header_blocks_do_not_depend_on_how_the_stream_is_cut) {
    test::check_property([] {
        auto const parts = *rc::gen::container<Strings>(rc::gen::element<std::string>(
            "Content-Length: ", "content-length:", "1", "2", "\r\n", "\r\n\r\n", "\n", "{}", "X: y",
            "Content-Length: 1\r\n\r\n", "Content-Length: 0\r\n\r\n", "7"));
        std::string stream;
        for (auto const& part : parts) stream += part;
        auto const whole = test::frames_of(ContentLengthReader(limit), {stream});
        RC_ASSERT(test::frames_of(ContentLengthReader(limit), cut(stream, any_cuts())) == whole);
    });
}

}  // namespace
}  // namespace lanyard::rpc
