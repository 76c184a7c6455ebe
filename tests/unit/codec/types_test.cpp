// Maps with integer keys, sets, pairs, tuples, spans, paths, durations and points in time.
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "lanyard/reflect.hpp"
#include "lanyard/schema.hpp"
#include "lanyard/schema_of.hpp"
#include "unit/codec/support.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using test::refusal;
using test::round_trip;

template <class T>
std::string schema() {
    return schema_text_of<T>().text();
}

TEST(CodecOfMaps, accepts_integers_as_names) {
    using Map = std::map<int, std::string>;
    EXPECT_EQ(round_trip<Map>(R"({"10":"a","-2":"b","0":"c"})"), R"({"-2":"b","0":"c","10":"a"})");
    EXPECT_EQ(schema<Map>(),
              R"({"type":"object","propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"},)"
              R"("additionalProperties":{"type":"string"}})");
    EXPECT_EQ((schema<std::map<unsigned, bool>>()),
              R"({"type":"object","propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"},)"
              R"("additionalProperties":{"type":"boolean"}})");
    EXPECT_EQ((round_trip<std::unordered_map<std::uint64_t, int>>(R"({"18446744073709551615":1})")),
              R"({"18446744073709551615":1})");
}

TEST(CodecOfMaps, refuses_names_that_are_no_integer_of_the_type) {
    using Map = std::map<std::int8_t, int>;
    EXPECT_EQ(refusal<Map>(R"({"1":1,"x":2})"),
              R"(/x: the name must be an integer from -128 to 127, got "x")");
    for (auto const* const name : {"", " 1", "01", "+1", "-0", "1.0", "1e1", "128", "-129"}) {
        EXPECT_NE(refusal<Map>("{\"" + std::string(name) + "\":1}"), "accepted") << name;
    }
    EXPECT_EQ(refusal<Map>(R"({"5":"no"})"), "/5: must be an integer, got a string");
}

TEST(CodecOfMaps, accepts_unordered_maps) {
    EXPECT_EQ((round_trip<std::unordered_map<std::string, int>>(R"({"a":1})")), R"({"a":1})");
}

TEST(CodecOfSets, is_an_array_without_equal_items) {
    EXPECT_EQ(round_trip<std::set<int>>("[3,1,2]"), "[1,2,3]");
    EXPECT_EQ(round_trip<std::unordered_set<std::string>>(R"(["a"])"), R"(["a"])");
    EXPECT_EQ(round_trip<std::multiset<int>>("[2,1,2]"), "[1,2,2]");
    EXPECT_EQ(refusal<std::set<int>>("[1,2,1]"), "/2: must not equal an item before it");
    EXPECT_EQ(refusal<std::set<int>>(R"([1,"a"])"), "/1: must be an integer, got a string");
    EXPECT_EQ(schema<std::set<int>>(),
              R"({"type":"array","items":{"type":"integer"},"uniqueItems":true})");
    EXPECT_EQ(schema<std::multiset<int>>(), R"({"type":"array","items":{"type":"integer"}})");
}

TEST(CodecOfTuples, is_an_array_of_exactly_its_parts) {
    using Pair = std::pair<std::string, int>;
    using Triple = std::tuple<bool, double, std::vector<int>>;
    EXPECT_EQ(round_trip<Pair>(R"(["a",1])"), R"(["a",1])");
    EXPECT_EQ(round_trip<Triple>("[true,1.5,[1]]"), "[true,1.5,[1]]");
    EXPECT_EQ(round_trip<std::tuple<>>("[]"), "[]");
    EXPECT_EQ(refusal<Pair>(R"(["a"])"), "must have exactly 2 items, got 1");
    EXPECT_EQ(refusal<Pair>(R"(["a",1,2])"), "must have exactly 2 items, got 3");
    EXPECT_EQ(refusal<Triple>(R"([true,1,["x"]])"), "/2/0: must be an integer, got a string");
    EXPECT_EQ(schema<Pair>(),
              R"({"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],)"
              R"("items":false,"minItems":2,"maxItems":2})");
    EXPECT_EQ(schema<std::tuple<>>(),
              R"({"type":"array","items":false,"minItems":0,"maxItems":0})");
}

TEST(CodecOfSpans, is_written_like_an_array) {
    std::vector<int> const numbers{1, 2, 3};
    EXPECT_EQ(to_json_text(std::span<int const>(numbers)), "[1,2,3]");
    EXPECT_EQ(schema<std::span<int const>>(), R"({"type":"array","items":{"type":"integer"}})");
    EXPECT_EQ((schema<std::span<int const, 2>>()),
              R"({"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2})");
}

struct Shown {
    std::string_view name;
    std::span<int const> numbers;
    std::optional<std::vector<std::string_view>> words;
};
LANYARD_STRUCT(Shown, name, numbers, words)

struct Page {
    Shown shown;
};
LANYARD_STRUCT(Page, shown)

TEST(CodecOfSpans, makes_a_struct_that_can_only_be_written) {
    std::array const numbers{1, 2};
    Shown shown{"n", numbers, {{"a", "b"}}};
    EXPECT_EQ(to_json_text(shown), R"({"name":"n","numbers":[1,2],"words":["a","b"]})");
    // The compiler refuses to read a Shown; inside another struct it is refused at run time.
    EXPECT_EQ(refusal<Page>(R"({"shown":{"name":"n","numbers":[]}})"),
              "/shown/name: is of a type that can be written but not read");
}

TEST(CodecOfPaths, is_a_string) {
    using Path = std::filesystem::path;
    EXPECT_EQ(round_trip<Path>(R"("/tmp/a b/grün")"), R"("/tmp/a b/grün")");
    EXPECT_EQ(refusal<Path>("1"), "must be a string, got an integer");
    // The operating system would cut the path at the NUL character.
    EXPECT_EQ(refusal<Path>(R"("a\u0000b")"), "must not contain U+0000");
    EXPECT_EQ(schema<Path>(), R"({"type":"string"})");
}

TEST(CodecOfDurations, is_a_number_of_seconds) {
    EXPECT_EQ(to_json_text(90s), "90");
    EXPECT_EQ(to_json_text(1500ms), "1.5");
    EXPECT_EQ(to_json_text(-1ms), "-0.001");
    EXPECT_EQ(to_json_text(2min), "120");
    EXPECT_EQ(to_json_text(std::chrono::nanoseconds(INT64_MIN)), "-9223372036.854775808");
    EXPECT_EQ(to_json_text(std::chrono::duration<double>(0.25)), "0.25");
    EXPECT_EQ(decode_text<std::chrono::milliseconds>("1.5").value(), 1500ms);
    EXPECT_EQ(decode_text<std::chrono::milliseconds>("0.1").value(), 100ms);
    EXPECT_EQ(decode_text<std::chrono::milliseconds>("-2").value(), -2s);
    EXPECT_EQ(decode_text<std::chrono::milliseconds>("0.0004").value(), 0ms);
    EXPECT_EQ(decode_text<std::chrono::nanoseconds>("1.000000001").value(), 1'000'000'001ns);
    EXPECT_EQ(decode_text<std::chrono::seconds>("90").value(), 90s);
    EXPECT_EQ(decode_text<std::chrono::seconds>("2.0").value(), 2s);
    EXPECT_EQ(decode_text<std::chrono::minutes>("120").value(), 2min);
    EXPECT_EQ(decode_text<std::chrono::duration<double>>("0.25").value().count(), 0.25);
    EXPECT_EQ((decode_text<std::chrono::duration<double, std::milli>>("0.25").value().count()),
              250.0);
}

TEST(CodecOfDurations, refuses_values_out_of_range) {
    EXPECT_EQ(refusal<std::chrono::seconds>("1.5"), "must be an integer, got 1.5");
    EXPECT_EQ(refusal<std::chrono::minutes>("90"), "must be a multiple of 60, got 90");
    EXPECT_EQ(refusal<std::chrono::seconds>(R"("90")"), "must be an integer, got a string");
    EXPECT_EQ(refusal<std::chrono::milliseconds>("true"), "must be a number, got a boolean");
    for (auto const* const number : {"9223372036.9", "-9223372036.9", "9223372037", "1e300"}) {
        EXPECT_EQ(
            refusal<std::chrono::nanoseconds>(number),
            "must be a number of seconds that is not out of range, got " + std::string(number));
    }
    using Small = std::chrono::duration<std::int8_t>;
    EXPECT_NE(refusal<Small>("128"), "accepted");
    using Unsigned = std::chrono::duration<std::uint64_t, std::milli>;
    EXPECT_NE(refusal<Unsigned>("-1"), "accepted");
}

TEST(CodecOfDurations, shows_its_kind_in_the_schema) {
    EXPECT_EQ(schema<std::chrono::seconds>(), R"({"type":"integer"})");
    EXPECT_EQ(schema<std::chrono::hours>(), R"({"type":"integer","multipleOf":3600})");
    EXPECT_EQ(schema<std::chrono::milliseconds>(), R"({"type":"number"})");
}

using Time = std::chrono::system_clock::time_point;
using Seconds = std::chrono::sys_seconds;

TEST(CodecOfTimePoints, is_a_date_and_time_in_utc) {
    EXPECT_EQ(round_trip<Seconds>(R"("2026-07-28T09:30:00Z")"), R"("2026-07-28T09:30:00Z")");
    EXPECT_EQ(round_trip<Seconds>(R"("2026-07-28t11:30:00+02:00")"), R"("2026-07-28T09:30:00Z")");
    EXPECT_EQ(round_trip<Seconds>(R"("2026-01-01T00:00:00-00:30")"), R"("2026-01-01T00:30:00Z")");
    EXPECT_EQ(round_trip<Seconds>(R"("1969-12-31T23:59:59Z")"), R"("1969-12-31T23:59:59Z")");
    EXPECT_EQ(round_trip<Seconds>(R"("0000-02-29T00:00:00Z")"), R"("0000-02-29T00:00:00Z")");
    EXPECT_EQ(round_trip<Seconds>(R"("2016-12-31T23:59:60Z")"), R"("2017-01-01T00:00:00Z")");
    EXPECT_EQ(round_trip<Seconds>(R"("2026-07-28T09:30:00.999Z")"), R"("2026-07-28T09:30:00Z")");
    EXPECT_EQ(round_trip<Time>(R"("2026-07-28T09:30:00.5Z")"), R"("2026-07-28T09:30:00.500Z")");
    EXPECT_EQ(round_trip<Time>(R"("1969-12-31T23:59:59.000000001Z")"),
              R"("1969-12-31T23:59:59.000000001Z")");
    EXPECT_EQ(round_trip<Time>(R"("2026-07-28T09:30:00.1234567891Z")"),
              R"("2026-07-28T09:30:00.123456789Z")");
    EXPECT_EQ(round_trip<std::chrono::sys_days>(R"("2026-07-28T09:30:00Z")"),
              R"("2026-07-28T00:00:00Z")");
    EXPECT_EQ(schema<Time>(), R"({"type":"string","format":"date-time"})");
}

TEST(CodecOfTimePoints, refuses_everything_else) {
    EXPECT_EQ(refusal<Time>(R"("2026-07-28T09:30:00")"),
              "must be a date and time with its offset, such as \"2026-07-28T09:30:00Z\", got "
              "\"2026-07-28T09:30:00\"");
    EXPECT_EQ(refusal<Time>("0"), "must be a string, got an integer");
    EXPECT_NE(refusal<Seconds>(R"("2026-02-29T00:00:00Z")"), "accepted");
    // 64-bit nanoseconds cover the years 1677 to 2262.
    EXPECT_EQ(refusal<Time>(R"("2300-01-01T00:00:00Z")"),
              "must be a date and time that is not out of range, got \"2300-01-01T00:00:00Z\"");
    EXPECT_NE(refusal<Time>(R"("1600-01-01T00:00:00Z")"), "accepted");
    EXPECT_EQ(to_json_text(Seconds(std::chrono::seconds(INT64_C(400'000'000'000)))), "null");
}

struct Everything {
    std::filesystem::path path;
    std::chrono::milliseconds wait{};
    std::optional<Seconds> at;
    std::set<std::string> tags;
    std::pair<int, int> range;
    std::map<int, std::string> names;
};
LANYARD_STRUCT(Everything, (path, min_length{1}, pattern{"^/"}), (wait, min{0.5}, max{10}),
               (at, "When"), (tags, min_items{1}), range, (names, omit_empty))

TEST(CodecOfTypes, agrees_with_the_schema) {
    auto const validator = schema::Validator::compile(schema_of<Everything>()).value();
    auto const judge = [&](std::string_view text) {
        auto const json = json::parse(text).value();
        bool const decoded = decode<Everything>(json).has_value();
        EXPECT_EQ(decoded, validator.is_valid(json)) << text;
        return decoded;
    };
    EXPECT_TRUE(judge(R"({"path":"/a","wait":1.5,"tags":["a"],"range":[1,2]})"));
    EXPECT_TRUE(
        judge(R"({"path":"/a","wait":1,"at":"2026-07-28T09:30:00Z","tags":["a"],"range":[1,2],)"
              R"("names":{"1":"x"}})"));
    EXPECT_FALSE(judge(R"({"path":"","wait":1,"tags":["a"],"range":[1,2]})"));
    EXPECT_FALSE(judge(R"({"path":"/a","wait":0.1,"tags":["a"],"range":[1,2]})"));
    EXPECT_FALSE(judge(R"({"path":"/a","wait":1,"tags":[],"range":[1,2]})"));
    EXPECT_FALSE(judge(R"({"path":"/a","wait":1,"tags":["a","a"],"range":[1,2]})"));
    EXPECT_FALSE(judge(R"({"path":"/a","wait":1,"tags":["a"],"range":[1]})"));
    EXPECT_FALSE(judge(R"({"path":"/a","wait":1,"tags":["a"],"range":[1,2],"names":{"x":""}})"));
}

TEST(CodecOfTypes, distinguishes_variants) {
    using Either = std::variant<std::chrono::seconds, Seconds, std::pair<int, int>>;
    EXPECT_EQ(decode_text<Either>("5").value().index(), 0U);
    EXPECT_EQ(decode_text<Either>(R"("2026-07-28T09:30:00Z")").value().index(), 1U);
    EXPECT_EQ(decode_text<Either>("[1,2]").value().index(), 2U);
    EXPECT_EQ(refusal<Either>("true"), "must be an integer, a string or an array, got a boolean");
}

static_assert(reflect::has_codec<std::vector<std::set<int>>>());
struct Unknown {};
static_assert(!reflect::has_codec<Unknown>());
static_assert(!reflect::has_codec<std::map<int, std::vector<std::optional<Unknown>>>>());
static_assert(!reflect::has_codec<std::tuple<int, Unknown>>());
static_assert(reflect::is_readable<std::vector<std::string>>());
static_assert(!reflect::is_readable<std::vector<std::string_view>>());

}  // namespace
}  // namespace lanyard
