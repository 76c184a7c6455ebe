// LANYARD_STRUCT, LANYARD_ENUM and types described with Boost.Describe.
#include "lanyard/reflect.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "unit/codec/support.hpp"

struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, "How often", min{1}, max{5}, defaulted))

namespace deep::inside {

struct Nothing {};
LANYARD_STRUCT(Nothing)

struct Renamed {
    std::string type;
    std::optional<Greet> greet;
};
LANYARD_STRUCT((Renamed, "With another name", title{"Renamed thing"}, closed),
               (type, "The type", name{"@type"}), greet)

template <class T>
struct Box {
    T value{};
};
LANYARD_STRUCT(Box<int>, value)

enum class Color { red, dark_green, blue };
LANYARD_ENUM(Color, (red, "Red"), (dark_green, "Dark green", name{"dark-green"}),
             (blue, title{"Blue"}))

enum Plain { plain_a, plain_b = 5 };
LANYARD_ENUM(Plain, plain_a, plain_b)

#define FIELDS_8(a) a##0, a##1, a##2, a##3, a##4, a##5, a##6, a##7
struct Large {
    int FIELDS_8(a) = 0, FIELDS_8(b) = 0, FIELDS_8(c) = 0, FIELDS_8(d) = 0;
    int FIELDS_8(e) = 0, FIELDS_8(f) = 0, FIELDS_8(g) = 0, FIELDS_8(h) = 0;
};
LANYARD_STRUCT(Large, FIELDS_8(a), FIELDS_8(b), FIELDS_8(c), FIELDS_8(d), FIELDS_8(e), FIELDS_8(f),
               FIELDS_8(g), FIELDS_8(h))

}  // namespace deep::inside

// A namespace whose names are also names of attributes.
namespace crowded {

constexpr int min = 2;
constexpr int name = 7;

struct Bounded {
    int value = 0;
};
LANYARD_STRUCT(Bounded, (value, lanyard::attr::min{min}, max{name}))

}  // namespace crowded

namespace described {

struct Base {
    int id = 0;
};
BOOST_DESCRIBE_STRUCT(Base, (), (id))

struct Derived : Base {
    std::string name;
    std::optional<double> weight;
};
BOOST_DESCRIBE_STRUCT(Derived, (Base), (name, weight))

BOOST_DEFINE_ENUM_CLASS(Level, low, high)

}  // namespace described

namespace lanyard {
namespace {

using test::refusal;
using test::round_trip;

TEST(Reflect, describes_a_struct) {
    EXPECT_EQ(round_trip<Greet>(R"({"name":"Ada"})"), R"({"name":"Ada","times":1})");
    EXPECT_EQ(refusal<Greet>(R"({"name":"Ada","times":9})"), "/times: must be at most 5, got 9");
    EXPECT_EQ(refusal<Greet>(R"({"name":1})"), "/name: must be a string, got an integer");
    EXPECT_EQ(refusal<Greet>("{}"), R"(missing required property "name")");
}

TEST(Reflect, describes_a_struct_without_members) {
    EXPECT_EQ(round_trip<deep::inside::Nothing>(R"({"a":1})"), "{}");
}

TEST(Reflect, describes_a_struct_with_64_members) {
    auto const text = to_json_text(deep::inside::Large{});
    EXPECT_EQ(round_trip<deep::inside::Large>(text), text);
    EXPECT_TRUE(text.ends_with(R"("h7":0})")) << text;
    EXPECT_EQ(refusal<deep::inside::Large>(text.substr(0, text.size() - 8) + "}"),
              R"(missing required property "h7")");
}

TEST(Reflect, renames_members_and_applies_struct_attributes) {
    EXPECT_EQ(round_trip<deep::inside::Renamed>(R"({"@type":"t","greet":{"name":"A"}})"),
              R"({"@type":"t","greet":{"name":"A","times":1}})");
    EXPECT_EQ(refusal<deep::inside::Renamed>(R"({"@type":"t","type":"t"})"),
              R"x(unknown property "type" (did you mean "@type"?))x");
    EXPECT_EQ(refusal<deep::inside::Renamed>(R"({"@type":"t","greet":{"name":"A","times":0}})"),
              "/greet/times: must be at least 1, got 0");
}

TEST(Reflect, describes_a_specialization) {
    EXPECT_EQ(round_trip<deep::inside::Box<int>>(R"({"value":3})"), R"({"value":3})");
}

TEST(Reflect, describes_enumerations) {
    using deep::inside::Color;
    EXPECT_EQ(round_trip<std::vector<Color>>(R"(["red","dark-green","blue"])"),
              R"(["red","dark-green","blue"])");
    EXPECT_EQ(refusal<Color>(R"("dark_green")"),
              R"(must be one of "red", "dark-green", "blue", got "dark_green")");
    EXPECT_EQ(*decode_text<deep::inside::Plain>(R"("plain_b")"), deep::inside::plain_b);
}

TEST(Reflect, finds_attributes_in_a_namespace_that_uses_their_names) {
    EXPECT_EQ(round_trip<crowded::Bounded>(R"({"value":7})"), R"({"value":7})");
    EXPECT_EQ(refusal<crowded::Bounded>(R"({"value":1})"), "/value: must be at least 2, got 1");
    EXPECT_EQ(refusal<crowded::Bounded>(R"({"value":8})"), "/value: must be at most 7, got 8");
}

TEST(Reflect, accepts_boost_described_structs) {
    EXPECT_EQ(round_trip<described::Derived>(R"({"name":"a","id":1})"), R"({"id":1,"name":"a"})");
    EXPECT_EQ(refusal<described::Derived>(R"({"name":"a"})"), R"(missing required property "id")");
    EXPECT_EQ(refusal<described::Derived>(R"({"id":1,"name":"a","weight":"x"})"),
              "/weight: must be a number, got a string");
}

TEST(Reflect, accepts_boost_described_enumerations) {
    EXPECT_EQ(round_trip<described::Level>(R"("high")"), R"("high")");
    EXPECT_EQ(refusal<described::Level>(R"("mid")"), R"(must be one of "low", "high", got "mid")");
}

}  // namespace
}  // namespace lanyard
