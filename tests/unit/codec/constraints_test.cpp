// Constraints on fields: every attribute, its bounds and its error message.
#include "lanyard/reflect.hpp"

#include "unit/codec/support.hpp"

namespace lanyard {
namespace {

using test::refusal;

struct Numbers {
    std::optional<int> closed_range;
    std::optional<double> open_range;
    std::optional<std::int64_t> wide;
    std::optional<std::uint64_t> natural;
    std::optional<int> sevens;
    std::optional<double> cents;
    std::optional<std::uint64_t> threes;
};
LANYARD_STRUCT(Numbers, (closed_range, min{-1}, max{5}),
               (open_range, exclusive_min{0}, exclusive_max{1.5}),
               (wide, min{-9007199254740993}, max{9007199254740993}),
               (natural, max{18446744073709551614U}, min{0.5}), (sevens, multiple_of{7}),
               (cents, multiple_of{0.01}), (threes, multiple_of{3U}))

struct Sizes {
    std::optional<std::string> text;
    std::optional<std::string> word;
    std::optional<std::vector<int>> items;
    std::optional<std::vector<Json>> unique;
    std::vector<int> one;
};
LANYARD_STRUCT(Sizes, (text, min_length{2}, max_length{4}), (word, pattern{"^x"}, format{"email"}),
               (items, min_items{1}, max_items{2}), (unique, unique_items),
               (one, omit_empty, max_items{1}))

TEST(Constraints, bound_a_number) {
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":-1})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":5})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":-2})"),
              "/closed_range: must be at least -1, got -2");
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":9})"), "/closed_range: must be at most 5, got 9");
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":6.5})"),
              "/closed_range: must be at most 5, got 6.5");
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":99999999999})"),
              "/closed_range: must be at most 5, got 99999999999");
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":18446744073709551615})"),
              "/closed_range: must be at most 5, got 18446744073709551615");
    EXPECT_EQ(refusal<Numbers>(R"({"closed_range":"9"})"),
              "/closed_range: must be an integer, got a string");
}

TEST(Constraints, bound_a_number_exclusively) {
    EXPECT_EQ(refusal<Numbers>(R"({"open_range":0.1})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"open_range":0})"),
              "/open_range: must be greater than 0, got 0");
    EXPECT_EQ(refusal<Numbers>(R"({"open_range":0.0})"),
              "/open_range: must be greater than 0, got 0.0");
    EXPECT_EQ(refusal<Numbers>(R"({"open_range":1.5})"),
              "/open_range: must be less than 1.5, got 1.5");
    EXPECT_EQ(refusal<Numbers>(R"({"open_range":1})"), "accepted");
}

TEST(Constraints, compare_integers_beyond_double_precision) {
    EXPECT_EQ(refusal<Numbers>(R"({"wide":9007199254740993})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"wide":9007199254740994})"),
              "/wide: must be at most 9007199254740993, got 9007199254740994");
    EXPECT_EQ(refusal<Numbers>(R"({"wide":-9007199254740994})"),
              "/wide: must be at least -9007199254740993, got -9007199254740994");
    EXPECT_EQ(refusal<Numbers>(R"({"natural":18446744073709551614})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"natural":18446744073709551615})"),
              "/natural: must be at most 18446744073709551614, got 18446744073709551615");
    EXPECT_EQ(refusal<Numbers>(R"({"natural":0})"), "/natural: must be at least 0.5, got 0");
}

TEST(Constraints, require_a_multiple) {
    EXPECT_EQ(refusal<Numbers>(R"({"sevens":-14})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"sevens":14.0})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"sevens":15})"), "/sevens: must be a multiple of 7, got 15");
    EXPECT_EQ(refusal<Numbers>(R"({"cents":19.99})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"cents":0})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"cents":19.999})"),
              "/cents: must be a multiple of 0.01, got 19.999");
    EXPECT_EQ(refusal<Numbers>(R"({"threes":9})"), "accepted");
    EXPECT_EQ(refusal<Numbers>(R"({"threes":10})"), "/threes: must be a multiple of 3, got 10");
}

TEST(Constraints, count_characters_not_bytes) {
    EXPECT_EQ(refusal<Sizes>(R"({"text":"ab"})"), "accepted");
    EXPECT_EQ(refusal<Sizes>("{\"text\":\"\xC3\xA4\xF0\x9F\x98\x80\xC3\xA4\xC3\xA4\"}"),
              "accepted");
    EXPECT_EQ(refusal<Sizes>(R"({"text":"\u00e4\ud83d\ude00"})"), "accepted");
    EXPECT_EQ(refusal<Sizes>("{\"text\":\"\xC3\xA4\"}"),
              "/text: must have at least 2 characters, got 1");
    EXPECT_EQ(refusal<Sizes>(R"({"text":"\n"})"), "/text: must have at least 2 characters, got 1");
    EXPECT_EQ(refusal<Sizes>(R"({"text":"abcde"})"),
              "/text: must have at most 4 characters, got 5");
    EXPECT_EQ(refusal<Sizes>(R"({"text":{}})"), "/text: must be a string, got an object");
}

TEST(Constraints, leave_pattern_and_format_to_the_schema) {
    EXPECT_EQ(refusal<Sizes>(R"({"word":"abc"})"), "accepted");
}

TEST(Constraints, count_items) {
    EXPECT_EQ(refusal<Sizes>(R"({"items":[1]})"), "accepted");
    EXPECT_EQ(refusal<Sizes>(R"({"items":[]})"), "/items: must have at least 1 item, got 0");
    EXPECT_EQ(refusal<Sizes>(R"({"items":[1,2,3]})"), "/items: must have at most 2 items, got 3");
    EXPECT_EQ(refusal<Sizes>(R"({"one":[1,2]})"), "/one: must have at most 1 item, got 2");
}

TEST(Constraints, refuse_equal_items) {
    EXPECT_EQ(
        refusal<Sizes>(R"({"unique":[1,"1",true,"true",null,"null",[],{},[[]],"\u005b\u005d"]})"),
        "accepted");
    EXPECT_EQ(refusal<Sizes>(R"({"unique":[{"a":1,"b":2},{"a":1,"b":3}]})"), "accepted");
    EXPECT_EQ(refusal<Sizes>(R"({"unique":[1.5,1e300,-1e300]})"), "accepted");
    EXPECT_EQ(refusal<Sizes>(R"({"unique":[0,1,2,1.0]})"),
              "/unique: must not have equal items, got items 1 and 3 equal");
    EXPECT_EQ(refusal<Sizes>(R"({"unique":["a","\u0061"]})"),
              "/unique: must not have equal items, got items 0 and 1 equal");
    EXPECT_EQ(refusal<Sizes>(R"({"unique":[{"a":[1,2],"b":2},7,{"b":2.0,"a":[1,2]}]})"),
              "/unique: must not have equal items, got items 0 and 2 equal");
}

TEST(Constraints, reject_alternatives_of_a_variant) {
    using Value = std::variant<Numbers, Sizes>;
    EXPECT_EQ(decode_text<Value>(R"({"closed_range":9,"text":"abc"})")->index(), 1U);
    EXPECT_EQ(decode_text<Value>(R"({"wide":1,"unique":[1,1]})")->index(), 0U);
    using Other = std::variant<Sizes, Numbers>;
    EXPECT_EQ(decode_text<Other>(R"({"unique":[1,1]})")->index(), 1U);
    EXPECT_EQ(decode_text<Other>(R"({"items":[]})")->index(), 1U);
}

}  // namespace
}  // namespace lanyard
