// Scalars, strings, containers and dynamic values.
#include <cmath>
#include <map>
#include <unordered_map>

#include "unit/codec/support.hpp"

namespace lanyard {
namespace {

using test::refusal;
using test::round_trip;

enum class Color { red, green };

}  // namespace

template <>
inline constexpr auto reflect::description<Color> = reflect::describe_enum<Color>(
    "Color", reflect::enumerator(Color::red, "red"), reflect::enumerator(Color::green, "green"));

namespace {

TEST(Boolean, is_true_or_false) {
    EXPECT_EQ(round_trip<bool>("true"), "true");
    EXPECT_EQ(round_trip<bool>("false"), "false");
    EXPECT_EQ(refusal<bool>("0"), "must be a boolean, got an integer");
    EXPECT_EQ(refusal<bool>("\"true\""), "must be a boolean, got a string");
}

TEST(Integer, is_checked_against_the_range_of_its_type) {
    EXPECT_EQ(round_trip<std::int8_t>("-128"), "-128");
    EXPECT_EQ(round_trip<std::int8_t>("127"), "127");
    EXPECT_EQ(refusal<std::int8_t>("-129"), "must be at least -128, got -129");
    EXPECT_EQ(refusal<std::int8_t>("128"), "must be at most 127, got 128");
    EXPECT_EQ(round_trip<std::uint8_t>("255"), "255");
    EXPECT_EQ(refusal<std::uint8_t>("256"), "must be at most 255, got 256");
    EXPECT_EQ(refusal<std::uint8_t>("-1"), "must be at least 0, got -1");
    EXPECT_EQ(refusal<std::int16_t>("32768"), "must be at most 32767, got 32768");
    EXPECT_EQ(refusal<std::uint16_t>("65536"), "must be at most 65535, got 65536");
    EXPECT_EQ(refusal<std::int32_t>("2147483648"), "must be at most 2147483647, got 2147483648");
    EXPECT_EQ(refusal<std::uint32_t>("4294967296"), "must be at most 4294967295, got 4294967296");
}

TEST(Integer, of_64_bits_keeps_every_value) {
    EXPECT_EQ(round_trip<std::int64_t>("9223372036854775807"), "9223372036854775807");
    EXPECT_EQ(round_trip<std::int64_t>("-9223372036854775808"), "-9223372036854775808");
    EXPECT_EQ(refusal<std::int64_t>("9223372036854775808"),
              "must be at most 9223372036854775807, got 9223372036854775808");
    EXPECT_EQ(round_trip<std::uint64_t>("18446744073709551615"), "18446744073709551615");
    EXPECT_EQ(refusal<std::uint64_t>("-9223372036854775808"),
              "must be at least 0, got -9223372036854775808");
}

TEST(Integer, may_be_written_as_a_real_number) {
    EXPECT_EQ(round_trip<int>("2.0"), "2");
    EXPECT_EQ(round_trip<int>("-2e1"), "-20");
    EXPECT_EQ(round_trip<unsigned>("2.50e1"), "25");
    EXPECT_EQ(round_trip<std::int64_t>("-9223372036854775808.0"), "-9223372036854775808");
    EXPECT_EQ(round_trip<std::uint64_t>("1e19"), "10000000000000000000");
    EXPECT_EQ(refusal<int>("2.5"), "must be an integer, got 2.5");
    EXPECT_EQ(refusal<unsigned>("2.5"), "must be an integer, got 2.5");
    EXPECT_EQ(refusal<std::int8_t>("1e3"), "must be at most 127, got 1e3");
    EXPECT_EQ(refusal<std::int64_t>("1e19"), "must be at most 9223372036854775807, got 1e19");
    EXPECT_EQ(refusal<std::int64_t>("-1e19"), "must be at least -9223372036854775808, got -1e19");
    EXPECT_EQ(refusal<std::uint64_t>("1e20"), "must be at most 18446744073709551615, got 1e20");
    EXPECT_EQ(refusal<std::uint64_t>("-1.0"), "must be at least 0, got -1.0");
}

TEST(Integer, is_not_another_kind) {
    EXPECT_EQ(refusal<int>("\"1\""), "must be an integer, got a string");
    EXPECT_EQ(refusal<int>("null"), "must be an integer, got null");
    EXPECT_EQ(refusal<unsigned>("[]"), "must be an integer, got an array");
}

TEST(Real, accepts_any_number_in_range) {
    EXPECT_EQ(round_trip<double>("0.1"), "0.1");
    EXPECT_EQ(round_trip<double>("3"), "3");
    EXPECT_EQ(round_trip<float>("0.5"), "0.5");
    EXPECT_EQ(refusal<double>("\"1\""), "must be a number, got a string");
    EXPECT_TRUE(refusal<float>("1e39").starts_with("must be at most 3.402823"))
        << refusal<float>("1e39");
    EXPECT_TRUE(refusal<float>("-1e39").starts_with("must be at least -3.402823"));
}

TEST(Real, without_a_json_spelling_is_written_as_null) {
    EXPECT_EQ(to_json_text(std::nan("")), "null");
}

TEST(String, is_unescaped_and_escaped) {
    EXPECT_EQ(*decode_text<std::string>(R"("a\"\u00e4\n")"), "a\"\xC3\xA4\n");
    EXPECT_EQ(round_trip<std::string>(R"("plain")"), R"("plain")");
    EXPECT_EQ(to_json_text(std::string_view("a\"b")), R"("a\"b")");
    EXPECT_EQ(refusal<std::string>("1"), "must be a string, got an integer");
    EXPECT_EQ(refusal<std::string>("1.5"), "must be a string, got a number");
}

TEST(Optional, inside_a_container_is_null_if_empty) {
    using Values = std::vector<std::optional<int>>;
    EXPECT_EQ(round_trip<Values>("[1,null,2]"), "[1,null,2]");
    EXPECT_EQ(refusal<Values>("[1,true]"), "/1: must be an integer, got a boolean");
}

TEST(Pointer, is_never_null_after_decoding) {
    using Values = std::vector<std::unique_ptr<int>>;
    EXPECT_EQ(round_trip<Values>("[1,2]"), "[1,2]");
    EXPECT_EQ(refusal<Values>("[1,null]"), "/1: must be an integer, got null");
    EXPECT_EQ(round_trip<std::shared_ptr<std::string>>("\"a\""), "\"a\"");
    EXPECT_EQ(to_json_text(std::shared_ptr<int>()), "null");
}

TEST(Vector, holds_any_number_of_elements) {
    EXPECT_EQ(round_trip<std::vector<int>>("[]"), "[]");
    EXPECT_EQ(round_trip<std::vector<std::vector<int>>>("[[1],[],[2,3]]"), "[[1],[],[2,3]]");
    EXPECT_EQ(round_trip<std::vector<bool>>("[true,false]"), "[true,false]");
    EXPECT_EQ(refusal<std::vector<bool>>("[true,1]"), "/1: must be a boolean, got an integer");
    EXPECT_EQ(refusal<std::vector<std::vector<int>>>("[[1],[2,\"3\"]]"),
              "/1/1: must be an integer, got a string");
    EXPECT_EQ(refusal<std::vector<int>>("{}"), "must be an array, got an object");
}

TEST(Vector, longer_than_the_first_reservation_is_complete) {
    std::vector<std::string> const many(5000, "x");
    EXPECT_EQ(*decode_text<std::vector<std::string>>(to_json_text(many)), many);
}

using Array0 = std::array<int, 0>;
using Array1 = std::array<int, 1>;
using Array2 = std::array<int, 2>;

TEST(Array, has_a_fixed_number_of_elements) {
    EXPECT_EQ(round_trip<Array2>("[1,2]"), "[1,2]");
    EXPECT_EQ(refusal<Array2>("[1,2,3]"), "must have exactly 2 items, got 3");
    EXPECT_EQ(refusal<Array1>("[]"), "must have exactly 1 item, got 0");
    EXPECT_EQ(refusal<Array2>("[1,null]"), "/1: must be an integer, got null");
    EXPECT_EQ(refusal<Array2>("1"), "must be an array, got an integer");
    EXPECT_EQ(round_trip<Array0>("[]"), "[]");
}

TEST(Map, has_string_keys) {
    EXPECT_EQ((round_trip<std::map<std::string, int>>(R"({"b":1,"a":2,"\u00e4":3})")),
              "{\"a\":2,\"b\":1,\"\xC3\xA4\":3}");
    EXPECT_EQ((round_trip<std::unordered_map<std::string, bool>>(R"({"a":true})")),
              R"({"a":true})");
    EXPECT_EQ((round_trip<std::map<std::string, int, std::less<>>>("{}")), "{}");
    EXPECT_EQ((refusal<std::map<std::string, int>>("[]")), "must be an object, got an array");
}

TEST(Map, keys_are_escaped_in_the_pointer) {
    using Values = std::map<std::string, std::vector<int>>;
    EXPECT_EQ(refusal<Values>(R"({"ok":[1],"a/b~c\"":[1,"x"]})"),
              "/a~1b~0c\"/1: must be an integer, got a string");
    EXPECT_EQ(refusal<Values>(R"({"":0})"), "/: must be an array, got an integer");
}

TEST(DynamicValue, keeps_every_value) {
    EXPECT_EQ(round_trip<Json>(R"({"a":[1,2.5,null,"x"]})"), R"({"a":[1,2.5,null,"x"]})");
    EXPECT_EQ(round_trip<JsonObject>(R"({"a":1,"b":{}})"), R"({"a":1,"b":{}})");
    EXPECT_EQ(round_trip<JsonArray>("[1,[2]]"), "[1,[2]]");
    EXPECT_EQ(refusal<JsonObject>("[]"), "must be an object, got an array");
    EXPECT_EQ(refusal<JsonArray>("{}"), "must be an array, got an object");
}

TEST(DynamicValue, raw_keeps_the_spelling) {
    EXPECT_EQ(round_trip<RawJson>(R"( {"a": 1.50} )"), R"({"a": 1.50})");
    EXPECT_EQ(to_json_text(RawJson()), "null");
}

TEST(RequestIdCodec, is_a_string_or_an_integer) {
    EXPECT_EQ(*decode_text<RequestId>("\"1\""), RequestId("1"));
    EXPECT_EQ(*decode_text<RequestId>("1"), RequestId(1));
    EXPECT_EQ(round_trip<RequestId>("\"\""), "\"\"");
    EXPECT_EQ(round_trip<RequestId>("-7"), "-7");
    EXPECT_EQ(refusal<RequestId>("null"), "must be a string or an integer, got null");
    EXPECT_EQ(refusal<RequestId>("1.5"), "must be an integer, got 1.5");
}

TEST(Enumeration, is_written_by_name) {
    EXPECT_EQ(round_trip<Color>("\"green\""), "\"green\"");
    EXPECT_EQ(*decode_text<Color>(R"("\u0072ed")"), Color::red);
    EXPECT_EQ(refusal<Color>("\"blue\""), R"(must be one of "red", "green", got "blue")");
    EXPECT_EQ(refusal<Color>("1"), R"(must be one of "red", "green", got 1)");
    EXPECT_EQ(refusal<Color>("[1]"), R"(must be one of "red", "green", got an array)");
}

TEST(Enumeration, value_without_a_name_is_written_as_its_number) {
    EXPECT_EQ(to_json_text(static_cast<Color>(7)), "7");
}

TEST(Message, truncates_long_values) {
    auto const long_text = std::string(59, 'a') + "\xC3\xA4" + std::string(99, 'b');
    EXPECT_EQ(refusal<Color>("\"" + long_text + "\""),
              R"(must be one of "red", "green", got ")" + std::string(59, 'a') + "...\"");
    EXPECT_EQ(refusal<int>("0." + std::string(99, '3')),
              "must be an integer, got 0." + std::string(58, '3') + "...");
}

TEST(Message, escapes_quoted_text) {
    EXPECT_EQ(refusal<Color>(R"("a\"\n")"), R"(must be one of "red", "green", got "a\"\n")");
}

TEST(Decode, refuses_text_that_is_not_json) {
    auto const result = decode_text<int>("[1,]");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().pointer, "");
    EXPECT_TRUE(result.error().message.starts_with("not valid JSON: ")) << result.error().message;
}

TEST(Decode, reads_trees_and_raw_json) {
    EXPECT_EQ(*decode<std::vector<int>>(Json(JsonArray{1, 2})), (std::vector{1, 2}));
    EXPECT_EQ(*decode<std::vector<int>>(RawJson::trusted("[1,2]")), (std::vector{1, 2}));
    EXPECT_FALSE(decode<int>(RawJson()));
}

TEST(Encode, yields_text_raw_json_and_trees) {
    std::vector<int> const values{1, 2};
    EXPECT_EQ(to_json_text(values), "[1,2]");
    EXPECT_EQ(to_raw_json(values).text(), "[1,2]");
    EXPECT_EQ(to_json(values), Json(JsonArray{1, 2}));
    std::string text;
    json::Writer writer(text);
    writer.begin_array();
    encode(writer, values);
    encode(writer, true);
    writer.end_array();
    EXPECT_EQ(text, "[[1,2],true]");
}

}  // namespace
}  // namespace lanyard
