// Described structs: fields by hand with reflect::describe().
#include "lanyard/codec.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

struct Point {
    int x = 0;
    double y = 0;
    std::optional<std::string> label;
    std::vector<std::uint8_t> tags;
};

}  // namespace

template <>
inline constexpr auto lanyard::reflect::description<Point> = lanyard::reflect::describe<Point>(
    "Point", lanyard::reflect::field<&Point::x>("x", lanyard::max{5}),
    lanyard::reflect::field<&Point::y>("y"), lanyard::reflect::field<&Point::label>("label"),
    lanyard::reflect::field<&Point::tags>("tags", lanyard::omit_empty));

namespace {

using namespace lanyard;

TEST(Structure, decodes_in_any_order) {
    auto const point = decode_text<Point>(R"({"label":"a","y":2,"x":1.0,"tags":[1,255]})");
    ASSERT_TRUE(point) << point.error().to_string();
    EXPECT_EQ(point->x, 1);
    EXPECT_EQ(to_json_text(*point), R"({"x":1,"y":2,"label":"a","tags":[1,255]})");
}

TEST(Structure, errors_carry_a_pointer) {
    EXPECT_EQ(decode_text<Point>(R"({"y":2,"x":9})").error().to_string(),
              "/x: must be at most 5, got 9");
    EXPECT_EQ(decode_text<Point>(R"({"y":2,"x":1,"tags":[1,256]})").error().to_string(),
              "/tags/1: must be at most 255, got 256");
    using V = std::variant<std::string, int, Point>;
    EXPECT_EQ(decode_text<V>("true").error().to_string(),
              "must be a string, an integer or Point, got a boolean");
    EXPECT_EQ((decode_text<std::map<std::string, V>>(R"({"a/b":[]})").error().to_string()),
              "/a~1b: must be a string, an integer or Point, got an array");
}

}  // namespace
