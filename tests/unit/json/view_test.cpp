#include <gtest/gtest.h>

#include <cmath>

#include "lanyard/json.hpp"

namespace lanyard::json {
namespace {

class Parsed {
public:
    explicit Parsed(std::string text, ParseOptions const& options = {}) : text_(std::move(text)) {
        view_ = document_.parse(text_, options).value();
    }
    View operator*() const { return *view_; }
    View const* operator->() const { return &*view_; }

private:
    std::string text_;
    Document document_;
    std::optional<View> view_;
};

TEST(View, has_a_kind) {
    EXPECT_EQ(Parsed("null")->kind(), Kind::null);
    EXPECT_EQ(Parsed("true")->kind(), Kind::boolean);
    EXPECT_EQ(Parsed("-1")->kind(), Kind::integer);
    EXPECT_EQ(Parsed("9223372036854775807")->kind(), Kind::integer);
    EXPECT_EQ(Parsed("9223372036854775808")->kind(), Kind::unsigned_integer);
    EXPECT_EQ(Parsed("1.0")->kind(), Kind::real);
    EXPECT_EQ(Parsed("1e2")->kind(), Kind::real);
    EXPECT_EQ(Parsed("\"\"")->kind(), Kind::string);
    EXPECT_EQ(Parsed("[]")->kind(), Kind::array);
    EXPECT_EQ(Parsed("{}")->kind(), Kind::object);
    EXPECT_TRUE(Parsed("1.5")->is_number());
    EXPECT_FALSE(Parsed("1.5")->is_integer());
    EXPECT_TRUE(Parsed("null")->is_null());
    EXPECT_EQ(describe(Kind::unsigned_integer), "an integer");
}

TEST(View, integers_keep_their_type) {
    EXPECT_EQ(Parsed("-9223372036854775808")->as_int64(), INT64_MIN);
    EXPECT_EQ(Parsed("18446744073709551615")->as_uint64(), UINT64_MAX);
    EXPECT_EQ(Parsed("18446744073709551615")->as_int64(), std::nullopt);
    EXPECT_EQ(Parsed("-1")->as_uint64(), std::nullopt);
    EXPECT_EQ(Parsed("7")->as_uint64(), 7U);
    EXPECT_EQ(Parsed("1.0")->as_int64(), std::nullopt);
    EXPECT_EQ(Parsed("9007199254740993")->to_json(), Json(std::int64_t{9007199254740993}));
    EXPECT_TRUE(Parsed("18446744073709551615")->to_json().is_uint64());
    EXPECT_TRUE(Parsed("1.0")->to_json().is_double());
}

TEST(View, reads_numbers_as_double) {
    EXPECT_EQ(Parsed("-2.5e3")->as_double(), -2500.0);
    EXPECT_EQ(Parsed("3")->as_double(), 3.0);
    EXPECT_EQ(Parsed("18446744073709551615")->as_double(), 18446744073709551615.0);
    EXPECT_EQ(Parsed("\"1\"")->as_double(), std::nullopt);
    EXPECT_EQ(Parsed("1e-400")->as_double(), 0.0);
    EXPECT_TRUE(std::signbit(*Parsed("-1e-400")->as_double()));
    ParseOptions big;
    big.big_integers = true;
    EXPECT_EQ(Parsed("100000000000000000000", big)->as_double(), 1e20);
}

TEST(View, reads_booleans) {
    EXPECT_EQ(Parsed("true")->as_bool(), true);
    EXPECT_EQ(Parsed("false")->as_bool(), false);
    EXPECT_EQ(Parsed("0")->as_bool(), std::nullopt);
}

TEST(View, decodes_strings) {
    EXPECT_EQ(Parsed(R"("plain é")")->plain_string(), "plain é");
    Parsed const escaped(R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\uD83D\uDE00z")");
    EXPECT_EQ(escaped->plain_string(), std::nullopt);
    EXPECT_EQ(escaped->as_string(), "a\"\\/\b\f\n\r\tAé€😀z");
    EXPECT_TRUE(escaped->equals("a\"\\/\b\f\n\r\tAé€😀z"));
    EXPECT_FALSE(escaped->equals("other"));
    EXPECT_FALSE(escaped->equals(std::string(1000, 'x')));
    EXPECT_EQ(Parsed("1")->as_string(), std::nullopt);
    EXPECT_EQ(Parsed("1")->plain_string(), std::nullopt);
    EXPECT_FALSE(Parsed("1")->equals("1"));
    EXPECT_EQ(escaped->to_json().as_string(), "a\"\\/\b\f\n\r\tAé€😀z");
}

TEST(View, finds_members_byte_exactly) {
    Parsed const object(R"({"method":1,"nested":{"method":2},"\u006b":3,"":4})");
    EXPECT_EQ(object->size(), 4U);
    EXPECT_EQ(object->find("method")->as_int64(), 1);
    EXPECT_EQ(object->find("nested")->find("method")->as_int64(), 2);
    EXPECT_EQ(object->find("k")->as_int64(), 3);
    EXPECT_EQ(object->find("")->as_int64(), 4);
    EXPECT_FALSE(object->find("Method"));
    EXPECT_FALSE(Parsed("[1]")->find("method"));
}

TEST(Hardening, S20_keys_are_not_folded) {
    Parsed const object("{\"Method\":1,\"METHOD\":2,\"param\xC5\xBF\":3,\"\xE2\x84\xAA\":4}");
    EXPECT_FALSE(object->find("method"));
    EXPECT_FALSE(object->find("params"));
    EXPECT_FALSE(object->find("K"));
}

TEST(View, iterates_elements_and_members) {
    Parsed const value(R"([[1,[2]],{"a":{"b":[3]}},"s"])");
    std::vector<std::string> raws;
    for (auto const element : value->elements()) raws.emplace_back(element.raw());
    EXPECT_EQ(raws, (std::vector<std::string>{"[1,[2]]", R"({"a":{"b":[3]}})", "\"s\""}));
    EXPECT_EQ(value->elements().begin()->size(), 2U);
    std::vector<std::string> keys;
    Parsed const object(R"({"x":{"deep":[1,2]},"y":null})");
    for (auto const [key, member] : object->members()) {
        keys.push_back(*key.as_string() + "=" + std::string(member.raw()));
    }
    EXPECT_EQ(keys, (std::vector<std::string>{R"(x={"deep":[1,2]})", "y=null"}));
    EXPECT_EQ(value->members().begin(), value->members().end());
    EXPECT_EQ(object->elements().begin(), object->elements().end());
    Parsed const number("7");
    EXPECT_EQ(number->elements().begin(), number->elements().end());
}

TEST(View, raw_bytes_and_offset_are_those_of_the_text) {
    Parsed const object(" {\"a\" : [1, 2 ] , \"b\":\"x\" } ");
    EXPECT_EQ(object->raw(), "{\"a\" : [1, 2 ] , \"b\":\"x\" }");
    EXPECT_EQ(object->find("a")->raw(), "[1, 2 ]");
    EXPECT_EQ(object->find("a")->offset(), 8U);
    EXPECT_EQ(object->find("b")->raw(), "\"x\"");
}

TEST(View, becomes_a_tree) {
    ParseOptions lenient;
    lenient.unique_keys = false;
    EXPECT_EQ(
        serialize(
            Parsed(R"({"a":1,"b":[true,false,null],"\u0061\"":"x","a":2.5})", lenient)->to_json()),
        R"({"a":2.5,"b":[true,false,null],"a\"":"x"})");
}

TEST(RawJsonValue, keeps_its_text) {
    auto const raw = RawJson::parse(" {\"a\": 1} ");
    ASSERT_TRUE(raw);
    EXPECT_EQ(raw->text(), "{\"a\": 1}");
    EXPECT_EQ(serialize(raw->to_json()), R"({"a":1})");
    EXPECT_FALSE(RawJson::parse("{"));
    EXPECT_TRUE(RawJson().empty());
    EXPECT_TRUE(RawJson().to_json().is_null());
    EXPECT_EQ(RawJson(Json{{"a", 1}}).text(), R"({"a":1})");
    EXPECT_EQ(RawJson::trusted("[1]"), RawJson(Json(JsonArray{1})));
    EXPECT_TRUE(RawJson::trusted("not JSON").to_json().is_null());
}

}  // namespace
}  // namespace lanyard::json
