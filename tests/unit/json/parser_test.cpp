#include "json/parser.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace lanyard::json {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        auto const end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

void describe(View value, std::string& out) {
    out += std::to_string(static_cast<int>(value.kind())) + "@" + std::to_string(value.offset());
    out.append(":").append(value.raw()).append(";");
    for (auto const element : value.elements()) describe(element, out);
    for (auto const [key, member] : value.members()) {
        describe(key, out);
        describe(member, out);
    }
}

// Describes the outcome completely: the error, or the value.
std::string outcome(Result<View, ParseError> const& parsed) {
    if (!parsed) return parsed.error().to_string();
    std::string out;
    describe(*parsed, out);
    return out;
}

std::string alone(std::string_view text, ParseOptions const& options = {}) {
    TextParser parser;
    return outcome(parser.parse(text, options));
}

// Expects that lines which are scanned together give the same outcome as single lines.
void expect_same(std::string const& text, ParseOptions const& options = {}) {
    TextParser parser;
    parser.look_ahead(text);
    for (auto const line : lines_of(text)) {
        EXPECT_EQ(outcome(parser.parse(line, options)), alone(line, options)) << text;
    }
}

TEST(TextParser, lines_that_are_scanned_together_are_parsed_like_single_ones) {
    expect_same(R"({"jsonrpc":"2.0","id":1,"params":{"name":"echo","list":[1,2.5,true,null]}})"
                "\n"
                R"([ "a" , {"b":-7} ])"
                "\r\n"
                "  17  \n"
                R"("text with \"escapes\" \u00e9")"
                "\n\"\xC3\xA9\"\nfalse");
}

TEST(TextParser, errors_are_the_same_as_for_a_single_line) {
    for (std::string const bad : {R"({"a":)",
                                  R"({"a")",
                                  R"({"a":1)",
                                  R"([1,)",
                                  R"([1)",
                                  R"(["open)",
                                  R"({"a":1}})",
                                  R"({"a":1} {})",
                                  R"({"a":1,"a":2})",
                                  R"("\x")",
                                  "01",
                                  "tru",
                                  "}",
                                  "",
                                  "  ",
                                  "\xEF\xBB\xBF{}",
                                  "\"\xFF\"",
                                  "\"\x01\"",
                                  R"(\)",
                                  R"("a\)"}) {
        expect_same("{\"before\":1}\n" + bad + "\n{\"after\":[2]}\n3");
        expect_same(bad + "\n1}\n" + bad + "\n]\n{}");
        expect_same("1\n" + bad);
    }
}

TEST(TextParser, limits_hold_for_each_line) {
    ParseOptions options;
    options.max_nodes = 3;
    options.max_depth = 2;
    options.max_bytes = 12;
    expect_same("[1,2]\n[1,2,3]\n[[[1]]]\n[[1]]\n[\"1234567890\"]\n{\"a\":1}\n[1]", options);
}

TEST(TextParser, lines_may_be_skipped_repeated_and_taken_in_any_order) {
    std::string const text = "[1]\n[2]\n[3]\n[4]";
    auto const lines = lines_of(text);
    TextParser parser;
    parser.look_ahead(text);
    for (std::size_t const i : {1U, 3U, 3U, 0U, 2U}) {
        EXPECT_EQ(outcome(parser.parse(lines[i], {})), alone(lines[i]));
    }
    parser.look_ahead(text);
    EXPECT_EQ(outcome(parser.parse("[5]", {})), alone("[5]")) << "another text in between";
    EXPECT_EQ(outcome(parser.parse(lines[0], {})), alone(lines[0]));
}

TEST(TextParser, the_text_may_change_after_forget) {
    std::string text = "[1]\n[2]";
    TextParser parser;
    parser.look_ahead(text);
    parser.forget();
    text = "{\"a\":1}";
    EXPECT_EQ(outcome(parser.parse(text, {})), alone(text));
    parser.look_ahead(text);
    parser.shrink();
    EXPECT_EQ(outcome(parser.parse(text, {})), alone(text));
}

TEST(TextParser, memory_of_many_lines_is_freed) {
    std::string text;
    while (text.size() < 100'000) text += "[1,2,3,4]\n";
    TextParser parser;
    parser.look_ahead(text);
    auto const first = lines_of(text).front();
    EXPECT_EQ(outcome(parser.parse(first, {})), alone(first));
    parser.shrink();
    EXPECT_EQ(outcome(parser.parse(first, {})), alone(first));
}

TEST(TextParser, random_lines_give_the_same_results_as_single_lines) {
    constexpr std::array<std::string_view, 18> pieces{
        "{", "}",  "[",  "]",  ",",  ":",    "\"a\"", "\"b\\n\"", "1",
        " ", "\n", "\n", "\"", "\\", "true", "-2.5",  "\xC3\xA9", "\r\n"};
    std::mt19937 random(7);
    for (int round = 0; round < 3'000; ++round) {
        std::string text;
        for (auto size = random() % 24; size > 0; --size) text += pieces[random() % pieces.size()];
        expect_same(text);
    }
}

}  // namespace
}  // namespace lanyard::json
