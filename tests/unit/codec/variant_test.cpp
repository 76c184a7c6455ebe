// Variants: which alternative is chosen, and the error if none fits.
#include <map>

#include "unit/codec/support.hpp"

namespace lanyard {
namespace {

using test::refusal;
using test::round_trip;

struct Circle {
    double radius = 0;
};
struct Square {
    double side = 0;
    std::optional<std::variant<int, double>> depth;
};
struct Text {
    std::string text;
};
struct Image {
    std::string data;
};
struct Later {
    int x = 0;
};

// Two alternatives that look alike and contain the variant again.
struct Left;
struct Right;
using Tree = std::variant<std::shared_ptr<Left>, std::shared_ptr<Right>>;
struct Left {
    std::optional<Tree> next;
    int left = 0;
};
struct Right {
    std::optional<Tree> next;
    int right = 0;
};

enum class Size { small, large };

struct Custom {
    int value = 0;
};

}  // namespace

template <>
struct Codec<Custom> {
    static void encode(json::Writer& writer, Custom value, EncodeContext const&) {
        writer.integer(value.value);
    }
    static bool decode(json::View view, Custom& out, DecodeContext& context) {
        auto const value = view.as_int64();
        if (value != 42) return context.fail("must be the answer");
        out.value = 42;
        return true;
    }
};

namespace reflect {

using namespace attr;

template <>
inline constexpr auto description<Circle> =
    describe<Circle>("Circle", field<&Circle::radius>("radius"));
template <>
inline constexpr auto description<Square> = describe<Square>(
    "Square", field<&Square::side>("side", max{9}), field<&Square::depth>("depth"));
template <>
inline constexpr auto description<Text> =
    describe<Text>("Text", constant<Text>("type", "text"), field<&Text::text>("text"));
template <>
inline constexpr auto description<Image> =
    describe<Image>("Image", constant<Image>("type", "image"), field<&Image::data>("data"));
template <>
inline constexpr auto description<Later> = describe<Later>(
    "", constant<Later>("type", "later", since{Version::v2025_11_25}), field<&Later::x>("x"));
template <>
inline constexpr auto description<Left> =
    describe<Left>("Left", field<&Left::next>("next"), field<&Left::left>("left"));
template <>
inline constexpr auto description<Right> =
    describe<Right>("Right", field<&Right::next>("next"), field<&Right::right>("right"));
template <>
inline constexpr auto description<Size> =
    describe_enum<Size>("Size", enumerator(Size::small, "small"), enumerator(Size::large, "large"));

}  // namespace reflect

namespace {

TEST(Variant, chooses_the_first_alternative_that_accepts) {
    using Value = std::variant<int, double, std::string>;
    EXPECT_EQ(decode_text<Value>("1")->index(), 0U);
    EXPECT_EQ(decode_text<Value>("1.5")->index(), 1U);
    EXPECT_EQ(decode_text<Value>("1e10")->index(), 1U);
    EXPECT_EQ(decode_text<Value>("\"a\"")->index(), 2U);
    EXPECT_EQ(round_trip<std::vector<Value>>(R"([1,1.5,"a"])"), R"([1,1.5,"a"])");
}

TEST(Variant, distinguishes_structs_by_their_members) {
    using Value = std::variant<Circle, Square>;
    EXPECT_EQ(decode_text<Value>(R"({"radius":1})")->index(), 0U);
    EXPECT_EQ(decode_text<Value>(R"({"side":1})")->index(), 1U);
}

TEST(Variant, names_the_kinds_that_it_accepts) {
    using Everything =
        std::variant<std::monostate, bool, int, double, std::string, std::vector<int>,
                     std::map<std::string, int>, Circle, std::unique_ptr<Square>>;
    EXPECT_EQ(refusal<std::vector<std::variant<Everything>>>(
                  R"([{"radius":1},{"a":1},[2],null,true,1,1.5,"s"])"),
              "accepted");
    EXPECT_EQ((refusal<std::variant<std::string, int, Circle>>("true")),
              "must be a string, an integer or Circle, got a boolean");
    EXPECT_EQ((refusal<std::variant<bool, std::monostate>>("1")),
              "must be a boolean or null, got an integer");
    EXPECT_EQ((refusal<std::variant<RequestId, Size, double>>("true")),
              "must be a string, an integer or a number, got a boolean");
    EXPECT_EQ((refusal<std::variant<std::optional<int>, std::shared_ptr<Circle>>>("true")),
              "must be an integer, null or Circle, got a boolean");
    EXPECT_EQ((refusal<std::variant<std::variant<int, JsonObject>, std::vector<int>>>("true")),
              "must be an integer, an object or an array, got a boolean");
    EXPECT_EQ((refusal<std::variant<std::map<std::string, int>, Later, Circle>>("true")),
              "must be an object or Circle, got a boolean");
    EXPECT_EQ((refusal<std::variant<std::string>>("true")), "must be a string, got a boolean");
}

TEST(Variant, reports_the_error_of_the_only_alternative_of_that_kind) {
    using Value = std::variant<std::string, Square>;
    EXPECT_EQ(refusal<Value>(R"({"side":10})"), "/side: must be at most 9, got 10");
    EXPECT_EQ(refusal<Value>("{}"), R"(missing required property "side")");
}

TEST(Variant, reports_why_each_possible_alternative_refuses) {
    using Value = std::variant<std::string, Circle, Square>;
    EXPECT_EQ(refusal<std::vector<Value>>(R"([{"side":10}])"),
              R"(/0: not Circle (/0: missing required property "radius"); )"
              R"(not Square (/0/side: must be at most 9, got 10))");
}

TEST(Variant, inside_an_attempt_is_reported_by_its_alternatives) {
    using Value = std::variant<Circle, Square>;
    EXPECT_EQ(refusal<Value>(R"({"side":1,"depth":true})"),
              R"(not Circle (missing required property "radius"); )"
              R"(not Square (/depth: must be an integer or a number, got a boolean))");
    using Nested = std::variant<std::vector<std::variant<Circle, Text>>, std::vector<Value>>;
    EXPECT_EQ(refusal<Nested>(R"([{"side":"1"}])"),
              R"(not an array (/0: missing required property "radius"); )"
              R"(not an array (/0: is not Circle or Square))");
}

TEST(Variant, is_decided_by_a_constant) {
    using Content = std::variant<Text, Image>;
    EXPECT_EQ(round_trip<Content>(R"({"data":"x","type":"image"})"),
              R"({"type":"image","data":"x"})");
    EXPECT_EQ(refusal<Content>(R"({"type":"image"})"), R"(missing required property "data")");
    EXPECT_EQ(refusal<Content>(R"({"type":"video"})"),
              R"(/type: must be one of "text", "image", got "video")");
    EXPECT_EQ(refusal<Content>(R"({"type":["text"]})"),
              R"(/type: must be one of "text", "image", got an array)");
    EXPECT_EQ(refusal<Content>("{}"), R"(missing required property "type")");
    EXPECT_EQ((refusal<std::variant<int, Text>>(R"({"type":"video"})")),
              R"(/type: must be one of "text", got "video")");
    EXPECT_EQ((refusal<std::variant<int, std::string>>("{}")),
              "must be an integer or a string, got an object");
}

TEST(Variant, constants_count_in_their_revisions_only) {
    using Value = std::variant<Later, int>;
    EXPECT_EQ(refusal<Value>(R"({"x":1})", Version::v2025_06_18), "accepted");
    EXPECT_EQ(refusal<Value>(R"({"x":1})", Version::v2025_11_25),
              R"(missing required property "type")");
}

TEST(Variant, falls_back_to_a_general_alternative) {
    using Value = std::variant<Text, JsonObject>;
    EXPECT_EQ(decode_text<Value>(R"({"type":"text","text":"a"})")->index(), 0U);
    EXPECT_EQ(decode_text<Value>(R"({"type":"text"})")->index(), 1U);
    EXPECT_EQ(decode_text<Value>(R"({"type":"video"})")->index(), 1U);
    EXPECT_EQ((decode_text<std::variant<int, Json>>("true")->index()), 1U);
}

TEST(Variant, accepts_alternatives_with_their_own_codec) {
    using Value = std::variant<Custom, std::string, Size>;
    EXPECT_EQ(round_trip<Value>("42"), "42");
    EXPECT_EQ(round_trip<Value>("\"a\""), "\"a\"");
    EXPECT_EQ(refusal<Value>("41"), "must be the answer");
    EXPECT_EQ((refusal<std::variant<Custom, Size>>("\"medium\"")),
              R"(not another value (must be the answer); )"
              R"(not a string (must be one of "small", "large", got "medium"))");
}

TEST(Variant, attempts_do_not_record_failures) {
    using Value = std::variant<std::vector<std::uint8_t>, std::array<int, 1>, std::array<float, 2>,
                               std::vector<std::variant<int, bool>>>;
    EXPECT_EQ(round_trip<Value>("[-1,true]"), "[-1,true]");
    EXPECT_EQ(round_trip<Value>("[-1,2]"), "[-1,2]");
    EXPECT_EQ(decode_text<Value>("[999,1e39]").error().pointer, "");
}

// Each level could be either alternative, and only the innermost value shows that neither fits.
std::string nested_tree(int depth) {
    std::string text = R"({"neither":1})";
    for (int i = 0; i < depth; ++i) text = R"({"next":)" + text + "}";
    return text;
}

TEST(Variant, nested_attempts_have_a_limited_cost) {
    // Without a budget this would take 2^60 attempts.
    EXPECT_FALSE(decode_text<Tree>(nested_tree(60)));
}

TEST(Variant, nested_alternatives_within_the_budget_are_found) {
    std::string text = R"({"right":1})";
    for (int i = 0; i < 4; ++i) text = R"({"next":)" + text + R"(,"right":1})";
    EXPECT_EQ(refusal<Tree>(text), "accepted");
}

}  // namespace
}  // namespace lanyard
