#include <gtest/gtest.h>

#include "lanyard/json.hpp"

namespace lanyard::json {
namespace {

struct Refusal {
    ParseErrc code;
    std::size_t offset;
    bool operator==(Refusal const&) const = default;
};

std::ostream& operator<<(std::ostream& out, Refusal const& refusal) {
    return out << "code " << static_cast<int>(refusal.code) << " at " << refusal.offset;
}

Refusal refusal_of(std::string_view text, ParseOptions const& options = {}) {
    Document document;
    auto const parsed = document.parse(text, options);
    EXPECT_FALSE(parsed) << text;
    if (parsed) return {ParseErrc::empty, 0};
    return {parsed.error().code, parsed.error().offset};
}

bool accepts(std::string_view text, ParseOptions const& options = {}) {
    Document document;
    return document.parse(text, options).has_value();
}

std::string message_of(std::string_view text, ParseOptions const& options = {}) {
    Document document;
    auto const parsed = document.parse(text, options);
    return parsed ? "accepted" : parsed.error().to_string();
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Document, errors_have_the_position_of_the_fault) {
    EXPECT_EQ(refusal_of(""), (Refusal{ParseErrc::empty, 0}));
    EXPECT_EQ(refusal_of("  "), (Refusal{ParseErrc::empty, 2}));
    EXPECT_EQ(refusal_of("\xEF\xBB\xBF{}"), (Refusal{ParseErrc::byte_order_mark, 0}));
    EXPECT_EQ(refusal_of("{\"a\":\"\xFF\"}"), (Refusal{ParseErrc::bad_utf8, 6}));
    EXPECT_EQ(refusal_of("{\"a\":\"x\ny\"}"), (Refusal{ParseErrc::control_character, 7}));
    EXPECT_EQ(refusal_of("[\"a\\\\\", \"b\\\""), (Refusal{ParseErrc::unclosed_string, 8}));
    EXPECT_EQ(refusal_of("[\"ab\\x\"]"), (Refusal{ParseErrc::bad_escape, 4}));
    EXPECT_EQ(refusal_of("[1, 02]"), (Refusal{ParseErrc::bad_number, 4}));
    EXPECT_EQ(refusal_of("[1, 1e999]"), (Refusal{ParseErrc::number_out_of_range, 4}));
    EXPECT_EQ(refusal_of("{\"a\":1,\"b\":2,\"a\":3}"), (Refusal{ParseErrc::duplicate_key, 13}));
    EXPECT_EQ(refusal_of("{\"a\":1 \"b\":2}"), (Refusal{ParseErrc::unexpected, 7}));
    EXPECT_EQ(refusal_of("{\"a\" 1}"), (Refusal{ParseErrc::unexpected, 5}));
    EXPECT_EQ(refusal_of("{1:2}"), (Refusal{ParseErrc::unexpected, 1}));
    EXPECT_EQ(refusal_of("[1,]"), (Refusal{ParseErrc::unexpected, 3}));
    EXPECT_EQ(refusal_of("[1"), (Refusal{ParseErrc::unexpected, 2}));
    EXPECT_EQ(refusal_of("[1}"), (Refusal{ParseErrc::unexpected, 2}));
    EXPECT_EQ(refusal_of("{\"a\":1]"), (Refusal{ParseErrc::unexpected, 6}));
    EXPECT_EQ(refusal_of("{} {}"), (Refusal{ParseErrc::unexpected, 3}));
    EXPECT_EQ(refusal_of("{\"a\":"), (Refusal{ParseErrc::unexpected, 5}));
    EXPECT_EQ(refusal_of("[tru]"), (Refusal{ParseErrc::unexpected, 1}));
    EXPECT_EQ(refusal_of("[nul"), (Refusal{ParseErrc::unexpected, 1}));
    EXPECT_EQ(refusal_of("[falsey]"), (Refusal{ParseErrc::unexpected, 1}));
    EXPECT_EQ(refusal_of("\"a\"b"), (Refusal{ParseErrc::unexpected, 3}));
    EXPECT_EQ(refusal_of("a\"b\""), (Refusal{ParseErrc::unexpected, 0}));
}

TEST(Document, errors_describe_the_fault) {
    EXPECT_EQ(message_of("{\"id\":1,\"id\":2}"), "duplicate key \"id\" at byte 8");
    EXPECT_EQ(message_of("[1 2]"), "expected ',' or ']', found '2' at byte 3");
    EXPECT_EQ(message_of("{\"a\":1"), "expected ',' or '}', found end of text at byte 6");
    EXPECT_EQ(message_of("{a:1}"), "expected a member name in quotes, found 'a' at byte 1");
    EXPECT_EQ(message_of(std::string_view("[\0]", 3)),
              "expected a value, found byte 0x00 at byte 1");
    EXPECT_EQ(message_of("[\"\t\"]"), "control character in a string: byte 0x09 at byte 2");
}

TEST(Hardening, S23_a_nul_byte_is_refused_at_every_offset) {
    std::string const text = R"({"method":"ok","n":[1,true]})";
    for (std::size_t i = 0; i <= text.size(); ++i) {
        auto with_nul = text;
        with_nul.insert(i, 1, '\0');
        EXPECT_FALSE(accepts(with_nul)) << "at " << i;
    }
}

TEST(Hardening, S21_a_key_with_an_escaped_nul_is_another_key) {
    Document document;
    auto const parsed = document.parse(R"({"method\u0000":1,"method":2})");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->find("method")->as_int64(), 2);
    EXPECT_EQ(parsed->find(std::string_view("method\0", 7))->as_int64(), 1);
}

TEST(Hardening, S22_duplicate_keys_are_refused_at_every_depth) {
    EXPECT_EQ(refusal_of(R"({"a":{"b":[{"c":1,"c":2}]}})").code, ParseErrc::duplicate_key);
    // The same key, spelled differently.
    EXPECT_EQ(refusal_of(R"({"a":1,"\u0061":2})"), (Refusal{ParseErrc::duplicate_key, 7}));
    EXPECT_EQ(refusal_of(R"({"\u0061":2,"a":1})"), (Refusal{ParseErrc::duplicate_key, 12}));
    EXPECT_TRUE(accepts(R"({"a":1,"\u0062":2})"));
    EXPECT_TRUE(accepts(R"([{"a":1},{"a":1}])"));
    ParseOptions lenient;
    lenient.unique_keys = false;
    EXPECT_TRUE(accepts(R"({"a":1,"a":2})", lenient));
}

TEST(Document, finds_duplicates_among_many_keys) {
    std::string text = "{";
    for (int i = 0; i < 1000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
    EXPECT_TRUE(accepts(text + "\"z\":0}"));
    auto const offset = text.size();
    EXPECT_EQ(refusal_of(text + "\"k500\":0}"), (Refusal{ParseErrc::duplicate_key, offset}));
}

TEST(Document, shortens_a_long_duplicate_key_in_the_message) {
    std::string const key(100, 'k');
    EXPECT_EQ(message_of("{\"" + key + "\":1,\"" + key + "\":2}"),
              "duplicate key \"" + std::string(64, 'k') + "...\" at byte 106");
}

TEST(Hardening, S24_depth_is_limited) {
    EXPECT_TRUE(accepts(nested(63)));
    EXPECT_TRUE(accepts(nested(64)));
    EXPECT_EQ(refusal_of(nested(65)), (Refusal{ParseErrc::too_deep, 64}));
    EXPECT_EQ(refusal_of(nested(1'000'000)), (Refusal{ParseErrc::too_deep, 64}));
    EXPECT_EQ(refusal_of(std::string(1'000'000, '[')), (Refusal{ParseErrc::too_deep, 64}));
}

TEST(Document, limits_the_number_of_values) {
    ParseOptions options;
    options.max_nodes = 4;
    EXPECT_TRUE(accepts("[1,2]", options));
    EXPECT_TRUE(accepts("[1,2,3]", options));
    EXPECT_EQ(refusal_of("[1,2,3,4]", options), (Refusal{ParseErrc::too_many_nodes, 7}));
    EXPECT_EQ(message_of("[1,2,3,4]", options), "more than 4 values at byte 7");
}

TEST(Document, limits_the_size) {
    ParseOptions options;
    options.max_bytes = 4;
    EXPECT_TRUE(accepts("[1]", options));
    EXPECT_TRUE(accepts("[12]", options));
    EXPECT_EQ(refusal_of("[123]", options).code, ParseErrc::too_large);
}

TEST(Document, numbers_out_of_range_are_refused_and_tiny_ones_are_zero) {
    EXPECT_TRUE(accepts("18446744073709551615"));
    EXPECT_EQ(refusal_of("18446744073709551616").code, ParseErrc::number_out_of_range);
    EXPECT_TRUE(accepts("-9223372036854775808"));
    EXPECT_EQ(refusal_of("-9223372036854775809").code, ParseErrc::number_out_of_range);
    EXPECT_TRUE(accepts("1.7976931348623157e308"));
    EXPECT_EQ(refusal_of("1.8e308").code, ParseErrc::number_out_of_range);
    EXPECT_EQ(refusal_of("-1e400").code, ParseErrc::number_out_of_range);
    EXPECT_EQ(refusal_of("1e99999999999999999999").code, ParseErrc::number_out_of_range);
    EXPECT_EQ(refusal_of("1" + std::string(400, '0') + "e-10").code,
              ParseErrc::number_out_of_range);
    EXPECT_EQ(refusal_of("1" + std::string(400, '0') + ".5").code, ParseErrc::number_out_of_range);
    EXPECT_TRUE(accepts("1e-99999999999999999999"));
    // The exponent of the first digit does not fit in 64 bits.
    EXPECT_EQ(refusal_of("453e9223372036854775807").code, ParseErrc::number_out_of_range);
    EXPECT_TRUE(accepts("0.001e-9223372036854775808"));
    EXPECT_TRUE(accepts("0." + std::string(400, '0') + "1"));
    EXPECT_TRUE(accepts("0." + std::string(400, '0') + "1e+10"));
    ParseOptions big;
    big.big_integers = true;
    EXPECT_TRUE(accepts("18446744073709551616", big));
    EXPECT_EQ(refusal_of(std::string(400, '9'), big).code, ParseErrc::number_out_of_range);
}

TEST(Document, refuses_malformed_numbers) {
    for (auto const* text : {"-", "-a", "1.", "1.e1", ".5", "1e", "1e+", "01", "1x", "0x1", "1.5x",
                             "1e5x", "--1", "+1", "NaN", "Infinity"}) {
        EXPECT_FALSE(accepts(text)) << text;
    }
}

TEST(Document, escapes_are_checked) {
    EXPECT_TRUE(accepts(R"("\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00")"));
    for (auto const* text : {R"("\x41")", R"("\u12")", R"("\u12G4")", R"("\uD800")", R"("\uDC00")",
                             R"("\uD800\u0041")", R"("\uD800x")"}) {
        EXPECT_EQ(refusal_of(text), (Refusal{ParseErrc::bad_escape, 1})) << text;
    }
}

TEST(Document, escapes_are_found_at_every_position) {
    for (std::size_t i = 0; i < 100; ++i) {
        auto const before = '"' + std::string(i, 'a');
        auto const after = std::string(100 - i, 'b') + '"';
        EXPECT_EQ(refusal_of(before + "\\x" + after), (Refusal{ParseErrc::bad_escape, i + 1}));
        Document document;
        auto const text = before + "\\n" + after;
        EXPECT_EQ(document.parse(text)->as_string(),
                  std::string(i, 'a') + '\n' + std::string(100 - i, 'b'));
    }
}

TEST(Document, bad_utf8_is_refused_with_the_position_of_its_first_byte) {
    for (auto const* sequence :
         {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80",
          "\xF0\x80\x80\x80", "\xF0\x9F\x98", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"}) {
        auto const text = "\"\xC3\xA9" + std::string(sequence) + "\"";
        EXPECT_EQ(refusal_of(text), (Refusal{ParseErrc::bad_utf8, 3}));
    }
    EXPECT_TRUE(accepts("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xED\x9F\xBF\xF4\x8F\xBF\xBF\""));
}

TEST(Document, is_reusable_and_movable) {
    Document document;
    EXPECT_TRUE(document.parse("[1,2,3]"));
    EXPECT_FALSE(document.parse("[1,2,"));
    std::string large = "[";
    for (int i = 0; i < 100'000; ++i) large += "1,";
    large += "1]";
    EXPECT_EQ(document.parse(large)->size(), 100'001U);
    document.shrink();
    Document moved = std::move(document);
    EXPECT_EQ(moved.parse("[1,2]")->size(), 2U);
    moved.shrink();
    EXPECT_EQ(moved.parse("[1,2]")->size(), 2U);
    document = std::move(moved);
    EXPECT_EQ(document.parse("{}")->size(), 0U);
}

TEST(Document, accepts_white_space_everywhere) {
    Document document;
    auto const text = " \n{ \"a\" :\t[ 1 , \"x\" ,\r\n null ] , \"b\" : { } }  ";
    auto const parsed = document.parse(text);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(serialize(parsed->to_json()), R"({"a":[1,"x",null],"b":{}})");
}

TEST(Parse, gives_a_tree_or_the_error) {
    EXPECT_EQ(serialize(*parse(R"([1,{"a":"b"}])")), R"([1,{"a":"b"}])");
    EXPECT_EQ(parse("[1,").error().code, ParseErrc::unexpected);
}

}  // namespace
}  // namespace lanyard::json
