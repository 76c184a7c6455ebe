#include "tool_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lanyard::app {
namespace {

using testing::ElementsAre;

RawJson schema(std::string text) {
    return RawJson::trusted(std::move(text));
}

TEST(ToolSchema, reads_arguments_types_and_defaults) {
    ToolSchema const tool(schema(R"({"properties":{
        "a":{"type":"integer","default":3},
        "b":{"$ref":"#/$defs/list"},
        "c":{"anyOf":[{"type":"integer"},{"type":"null"}]},
        "d":{"const":"x"}},
        "required":["a"],
        "$defs":{"list":{"type":"array","items":{"$ref":"#/$defs/item"}},"item":{"enum":[1,true]}}})"));
    EXPECT_THAT(tool.names(), ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(tool.types("a"), ElementsAre("integer"));
    EXPECT_THAT(tool.types("b"), ElementsAre("array"));
    EXPECT_THAT(tool.element_types("b"), ElementsAre("boolean", "number"));
    EXPECT_THAT(tool.types("c"), ElementsAre("integer", "null"));
    EXPECT_THAT(tool.types("d"), ElementsAre("string"));
    EXPECT_TRUE(tool.types("none").empty());
    EXPECT_TRUE(tool.requires_argument("a"));
    EXPECT_FALSE(tool.requires_argument("b"));
    ASSERT_NE(tool.default_of("a"), nullptr);
    EXPECT_EQ(*tool.default_of("a"), Json(3));
    EXPECT_EQ(tool.default_of("b"), nullptr);
    EXPECT_FALSE(tool.is_open());
    EXPECT_TRUE(ToolSchema(schema(R"({"additionalProperties":{"type":"string"}})")).is_open());
}

TEST(ToolSchema, finds_arguments_of_alternatives) {
    ToolSchema const tool(schema(R"({"type":"object","anyOf":[
        {"properties":{"id":{"type":"integer"}},"required":["id"]},
        {"$ref":"#/$defs/by_name"}],
        "$defs":{"by_name":{"properties":{"name":{"type":"string"},"id":{"type":"string"}}}}})"));
    EXPECT_THAT(tool.names(), ElementsAre("id", "name"));
    EXPECT_THAT(tool.types("id"), ElementsAre("integer", "string"));
    EXPECT_FALSE(tool.requires_argument("id"));
}

TEST(ToolSchema, requires_the_required_members_of_every_part_of_all_of) {
    ToolSchema const tool(schema(R"({"required":["a"],"allOf":[
        {"properties":{"a":{},"b":{},"c":{}},"required":["b"]},
        {"allOf":[{"$ref":"#/$defs/c"}]},
        {"oneOf":[{"properties":{"d":{}},"required":["d"]}]}],
        "$defs":{"c":{"required":["c"]}}})"));
    for (auto const* name : {"a", "b", "c"}) EXPECT_TRUE(tool.requires_argument(name)) << name;
    EXPECT_FALSE(tool.requires_argument("d"));
}

TEST(ToolSchema, has_short_names_of_types) {
    ToolSchema const tool(schema(R"({"properties":{
        "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},
        "either":{"type":["string","number"]},
        "grid":{"type":"array","items":{"type":"array","items":{"type":"number"}}},
        "deep":{"$ref":"#/$defs/deep"},
        "any":{}},
        "$defs":{"deep":{"type":"array","items":{"$ref":"#/$defs/deep"}}}})"));
    EXPECT_EQ(tool.type_name("maybe"), "integer");
    EXPECT_EQ(tool.type_name("either"), "number|string");
    EXPECT_EQ(tool.type_name("grid"), "number[][]");
    EXPECT_EQ(tool.type_name("deep"), "any[][][][][]");
    EXPECT_EQ(tool.type_name("any"), "any");
}

TEST(ToolSchema, names_the_choices_of_enumerations) {
    ToolSchema const tool(schema(R"({"properties":{
        "plain":{"enum":["a","b"]},
        "typed":{"type":"string","enum":["a","b"]},
        "titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]},
        "nullable":{"anyOf":[{"enum":["a",null]},{"type":"null"}]},
        "mixed":{"anyOf":[{"enum":["auto","auto"]},{"type":"integer"}]},
        "numbers":{"enum":[1,2.5,true]},
        "several":{"type":"array","items":{"$ref":"#/$defs/colour"}},
        "many":{"enum":["1","2","3","4","5","6","7","8","9"]},
        "long":{"enum":["short",")" +
                                 std::string(100, 'x') + R"("]},
        "longest":{"enum":[")" + std::string(100, 'x') +
                                 R"("]}},
        "$defs":{"colour":{"enum":["red","green"]}}})"));
    EXPECT_EQ(tool.type_name("plain"), "a|b");
    EXPECT_EQ(tool.type_name("typed"), "a|b");
    EXPECT_EQ(tool.type_name("titled"), "a|b");
    EXPECT_EQ(tool.type_name("nullable"), "a");
    EXPECT_EQ(tool.type_name("mixed"), "auto|integer");
    EXPECT_EQ(tool.type_name("numbers"), "1|2.5|true");
    EXPECT_EQ(tool.type_name("several"), "(red|green)[]");
    EXPECT_EQ(tool.type_name("many"), "1|2|3|4|5|6|7|8|…");
    EXPECT_EQ(tool.type_name("long"), "short|…");
    EXPECT_EQ(tool.type_name("longest"), "…");
}

TEST(ToolSchema, terminates_for_recursive_schemas) {
    ToolSchema const tool(schema(
        R"({"$ref":"#","properties":{"x":{"anyOf":[{"$ref":"#/properties/x"},{"type":"string"}]},
            "y":{"$ref":"#/properties/y"}},"allOf":[{"$ref":"#"}]})"));
    EXPECT_TRUE(tool.names().empty());  // the root refers to itself endlessly
    ToolSchema const inner(schema(
        R"({"properties":{"x":{"anyOf":[{"$ref":"#/properties/x"},{"type":"string"}]},
            "y":{"$ref":"#/properties/y"}},"allOf":[{"$ref":"#"}]})"));
    EXPECT_THAT(inner.names(), ElementsAre("x", "y"));
    EXPECT_THAT(inner.types("x"), ElementsAre("string"));
    EXPECT_TRUE(inner.types("y").empty());
    EXPECT_EQ(inner.default_of("x"), nullptr);
}

TEST(ToolSchema, visits_a_bounded_number_of_subschemas) {
    // 60 levels of two references each: 2^60 paths.
    std::string defs = R"("d0":{"type":"integer"})";
    for (int i = 1; i <= 60; ++i) {
        auto const below = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + R"("})";
        defs += ",\"d" + std::to_string(i) + R"(":{"anyOf":[)" + below + "," + below + "]}";
    }
    ToolSchema const levels(
        schema(R"({"properties":{"x":{"$ref":"#/$defs/d60"}},"$defs":{)" + defs + "}}"));
    EXPECT_THAT(levels.types("x"), ElementsAre("integer"));

    // 1,000 arguments that each refer to 10,000 alternatives.
    std::string properties;
    for (int i = 0; i < 1'000; ++i) {
        properties += (i == 0 ? "\"" : ",\"") + std::string("p") + std::to_string(i) +
                      R"(":{"$ref":"#/$defs/wide"})";
    }
    std::string wide = R"({"type":"integer"})";
    for (int i = 1; i < 10'000; ++i) wide += R"(,{"type":"integer"})";
    ToolSchema const tool(schema(R"({"properties":{)" + properties +
                                 R"(},"$defs":{"wide":{"anyOf":[)" + wide + "]}}}"));
    EXPECT_THAT(tool.types("p0"), ElementsAre("integer"));
    for (auto const& name : tool.names()) tool.type_name(name);
    EXPECT_EQ(tool.type_name("p999"), "any");  // the budget is used up
}

}  // namespace
}  // namespace lanyard::app
