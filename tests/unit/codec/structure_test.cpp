// Described structs: presence, unknown members, protocol revisions, constants, and the member that
// keeps unknown ones.
#include <map>

#include "unit/codec/support.hpp"

namespace lanyard {
namespace {

using test::refusal;
using test::round_trip;

struct Point {
    int x = 0;
    int y = 7;
    std::optional<std::string> label;
    std::vector<std::uint8_t> tags;
    std::unique_ptr<Point> next;
    RawJson raw;
};

struct Shut {
    std::string name;
    int times = 0;
    std::map<std::string, int> limits;
};

struct Nullable {
    std::optional<int> maybe;
    std::optional<int> always;
    RawJson raw;
};

struct Revised {
    int all = 0;
    int older = 0;
    int newer = 0;
    std::string text;
    std::optional<bool> strict;
};

struct Open {
    int known = 0;
    int late = 0;
    JsonObject extra;
};

struct Node {
    int value = 0;
    std::vector<Node> children;
};

struct Base {
    int base = 0;
};
struct Other {
    int other = 0;
};
struct Derived : Base, Other {
    int own = 0;
};

}  // namespace

namespace reflect {

using namespace attr;

template <>
inline constexpr auto description<Point> =
    describe<Point>("Point", field<&Point::x>("x"), field<&Point::y>("y", defaulted),
                    field<&Point::label>("label"), field<&Point::tags>("tags", omit_empty),
                    field<&Point::next>("next"), field<&Point::raw>("raw"));

template <>
inline constexpr auto description<Shut> = describe<Shut>(
    "Shut", closed, field<&Shut::name>("name"), field<&Shut::times>("times", defaulted),
    field<&Shut::limits>("limits", omit_empty));

template <>
inline constexpr auto description<Nullable> = describe<Nullable>(
    "Nullable", field<&Nullable::maybe>("maybe", nullable),
    field<&Nullable::always>("always", nullable, required), field<&Nullable::raw>("raw", required));

template <>
inline constexpr auto description<Revised> = describe<Revised>(
    "Revised", field<&Revised::all>("all"),
    field<&Revised::older>("number", until{Version::v2025_06_18}),
    field<&Revised::text>("number", since{Version::v2025_11_25}),
    field<&Revised::newer>("newer", since{Version::v2025_06_18}),
    field<&Revised::strict>("strict", since{Version::v2026_07_28}, forbidden_outside));

template <>
inline constexpr auto description<Open> = describe<Open>(
    "Open", constant<Open>("type", "open"), field<&Open::known>("known"),
    field<&Open::late>("late", since{Version::v2025_11_25}, defaulted), rest<&Open::extra>());

template <>
inline constexpr auto description<Node> = describe<Node>(
    "Node", field<&Node::value>("value"), field<&Node::children>("children", omit_empty));

template <>
inline constexpr auto description<Derived> =
    describe<Derived>("Derived", field<&Derived::base, Derived>("base"),
                      field<&Derived::other, Derived>("other"), field<&Derived::own>("own"));

}  // namespace reflect

namespace {

TEST(Structure, reads_members_in_any_order) {
    auto const point = decode_text<Point>(
        R"({"next":{"y":4,"x":3},"label":"a","y":2,"x":1.0,"tags":[1,255],"raw":[ ]})");
    ASSERT_TRUE(point) << point.error().to_string();
    EXPECT_EQ(point->x, 1);
    EXPECT_EQ(point->y, 2);
    EXPECT_EQ(point->label, "a");
    EXPECT_EQ(point->next->x, 3);
    EXPECT_EQ(to_json_text(*point),
              R"({"x":1,"y":2,"label":"a","tags":[1,255],"next":{"x":3,"y":4},"raw":[ ]})");
}

TEST(Structure, leaves_out_empty_members_and_keeps_defaults) {
    EXPECT_EQ(round_trip<Point>(R"({"x":1})"), R"({"x":1,"y":7})");
}

TEST(Structure, finds_keys_that_are_written_with_escapes) {
    EXPECT_EQ(round_trip<Point>(R"({"\u0078":1})"), R"({"x":1,"y":7})");
}

TEST(Structure, keys_are_compared_byte_by_byte) {
    EXPECT_EQ(refusal<Point>(R"({"X":1})"), R"(missing required property "x")");
}

TEST(Structure, refuses_missing_and_wrong_members_with_their_place) {
    EXPECT_EQ(refusal<Point>("[]"), "must be an object, got an array");
    EXPECT_EQ(refusal<Point>(R"({"y":1})"), R"(missing required property "x")");
    EXPECT_EQ(refusal<Point>(R"({"x":1,"next":{"x":1,"next":{}}})"),
              R"(/next/next: missing required property "x")");
    EXPECT_EQ(refusal<Point>(R"({"x":"1"})"), "/x: must be an integer, got a string");
    EXPECT_EQ(refusal<Point>(R"({"x":1,"tags":[0,1,256]})"),
              "/tags/2: must be at most 255, got 256");
}

TEST(Structure, null_is_not_the_same_as_absent) {
    EXPECT_EQ(refusal<Point>(R"({"x":1,"label":null})"), "/label: must be a string, got null");
    EXPECT_EQ(refusal<Point>(R"({"x":1,"next":null})"), "/next: must be an object, got null");
}

TEST(Structure, unknown_members_are_ignored_unless_it_is_closed) {
    EXPECT_EQ(round_trip<Point>(R"({"z":[{}],"x":1})"), R"({"x":1,"y":7})");
    EXPECT_EQ(refusal<Shut>(R"({"name":"a","other":1})"), R"(unknown property "other")");
    EXPECT_EQ(round_trip<Shut>(R"({"name":"a"})"), R"({"name":"a","times":0})");
}

TEST(Structure, unknown_member_of_a_closed_one_names_a_similar_one) {
    EXPECT_EQ(refusal<Shut>(R"({"nmae":"a"})"),
              R"x(unknown property "nmae" (did you mean "name"?))x");
    EXPECT_EQ(refusal<Shut>(R"({"tmie":"a"})"),
              R"x(unknown property "tmie" (did you mean "times"?))x");
    EXPECT_EQ(refusal<Shut>(R"({"limts":"a"})"),
              R"x(unknown property "limts" (did you mean "limits"?))x");
    EXPECT_EQ(refusal<Shut>(R"({"x":1})"), R"(unknown property "x")");
    EXPECT_EQ(refusal<Shut>("{\"" + std::string(80, 'n') + "\":1}"),
              "unknown property \"" + std::string(60, 'n') + "...\"");
}

TEST(Structure, nullable_members_may_be_null) {
    EXPECT_EQ(round_trip<Nullable>(R"({"maybe":null,"always":null,"raw":1})"),
              R"({"always":null,"raw":1})");
    EXPECT_EQ(round_trip<Nullable>(R"({"maybe":1,"always":2,"raw":null})"),
              R"({"maybe":1,"always":2,"raw":null})");
    EXPECT_EQ(refusal<Nullable>(R"({"maybe":"x","always":2})"),
              "/maybe: must be an integer, got a string");
}

TEST(Structure, members_marked_required_must_be_present) {
    EXPECT_EQ(refusal<Nullable>(R"({"raw":1})"), R"(missing required property "always")");
    EXPECT_EQ(refusal<Nullable>(R"({"always":1})"), R"(missing required property "raw")");
    Nullable const empty;
    EXPECT_EQ(to_json_text(empty), R"({"always":null,"raw":null})");
}

TEST(Structure, without_a_revision_every_member_counts) {
    Revised const revised{1, 2, 3, "a", true};
    EXPECT_EQ(to_json_text(revised),
              R"({"all":1,"number":2,"number":"a","newer":3,"strict":true})");
}

TEST(Structure, members_outside_the_revision_are_neither_written_nor_read) {
    Revised const value{1, 2, 3, "a", true};
    EXPECT_EQ(to_json_text(value, {Version::v2024_11_05}), R"({"all":1,"number":2})");
    EXPECT_EQ(to_json_text(value, {Version::v2025_06_18}), R"({"all":1,"number":2,"newer":3})");
    EXPECT_EQ(to_json_text(value, {Version::v2025_11_25}), R"({"all":1,"number":"a","newer":3})");
    EXPECT_EQ(to_json_text(value, {Version::v2026_07_28}),
              R"({"all":1,"number":"a","newer":3,"strict":true})");

    auto const old =
        decode_text<Revised>(R"({"all":1,"number":2,"newer":"?"})", Version::v2024_11_05);
    ASSERT_TRUE(old) << old.error().to_string();
    EXPECT_EQ(old->older, 2);
    EXPECT_EQ(old->newer, 0);
    auto const recent =
        decode_text<Revised>(R"({"newer":5,"number":"b","all":1})", Version::v2025_11_25);
    ASSERT_TRUE(recent) << recent.error().to_string();
    EXPECT_EQ(recent->text, "b");
}

TEST(Structure, members_are_required_only_in_their_revisions) {
    EXPECT_EQ(refusal<Revised>(R"({"all":1,"number":2})", Version::v2024_11_05), "accepted");
    EXPECT_EQ(refusal<Revised>(R"({"all":1,"number":2})", Version::v2025_06_18),
              R"(missing required property "newer")");
    EXPECT_EQ(refusal<Revised>(R"({"all":1,"newer":2})", Version::v2025_11_25),
              R"(missing required property "number")");
}

TEST(Structure, a_forbidden_member_is_refused_outside_its_revisions) {
    EXPECT_EQ(refusal<Revised>(R"({"all":1,"number":2,"strict":true})", Version::v2024_11_05),
              "/strict: is not allowed in protocol version 2024-11-05");
    EXPECT_EQ(
        refusal<Revised>(R"({"all":1,"number":"","newer":1,"strict":true})", Version::v2026_07_28),
        "accepted");
}

TEST(Structure, unknown_members_of_an_open_one_are_kept_and_written_back) {
    auto const text = R"({"type":"open","known":1,"late":2,"other":{"a":[1]},"z\"":null})";
    EXPECT_EQ(round_trip<Open>(text), text);
}

TEST(Structure, kept_members_never_repeat_a_field) {
    Open value{1, 2, {{"known", 9}, {"type", 9}, {"late", 9}, {"more", 9}}};
    EXPECT_EQ(to_json_text(value), R"({"type":"open","known":1,"late":2,"more":9})");
    EXPECT_EQ(to_json_text(value, {Version::v2024_11_05}), R"({"type":"open","known":1,"more":9})");
    // A member that the revision lacks is not kept as an unknown one either.
    auto const old =
        decode_text<Open>(R"({"type":"open","known":1,"late":5})", Version::v2024_11_05);
    ASSERT_TRUE(old);
    EXPECT_TRUE(old->extra.empty());
}

TEST(Structure, a_constant_is_written_and_must_match) {
    EXPECT_EQ(refusal<Open>(R"({"type":"shut","known":1})"),
              R"(/type: must be "open", got "shut")");
    EXPECT_EQ(refusal<Open>(R"({"known":1})"), R"(missing required property "type")");
}

TEST(Structure, may_contain_itself) {
    auto const text =
        R"({"value":1,"children":[{"value":2},{"value":3,"children":[{"value":4}]}]})";
    EXPECT_EQ(round_trip<Node>(text), text);
    EXPECT_EQ(refusal<Node>(R"({"value":1,"children":[{"value":2},{"value":3,"children":[{}]}]})"),
              R"(/children/1/children/0: missing required property "value")");
}

TEST(Structure, reaches_members_of_bases) {
    auto const text = R"({"base":1,"other":2,"own":3})";
    EXPECT_EQ(round_trip<Derived>(text), text);
}

TEST(Structure, the_last_of_repeated_keys_counts) {
    json::Document document;
    json::ParseOptions options;
    options.unique_keys = false;
    auto const view = document.parse(R"({"x":1,"x":2})", options);
    ASSERT_TRUE(view);
    EXPECT_EQ(decode<Point>(*view)->x, 2);
}

TEST(Context, a_custom_codec_reports_the_place_of_its_error) {
    json::Document document;
    auto const view = document.parse(R"({"a":[0,"x"]})");
    ASSERT_TRUE(view);
    DecodeContext context(Version::v2025_11_25);
    EXPECT_EQ(context.version(), Version::v2025_11_25);
    {
        DecodeContext::Step const outer(context, "a");
        DecodeContext::Step inner(context, std::size_t{0});
        inner.next();
        EXPECT_FALSE(context.fail("is ", std::string("odd")));
    }
    EXPECT_EQ(context.take_error(), (DecodeError{"/a/1", "is odd"}));
    EXPECT_FALSE(context.fail("again"));
    EXPECT_EQ(context.take_error(), (DecodeError{"", "again"}));
}

}  // namespace
}  // namespace lanyard
