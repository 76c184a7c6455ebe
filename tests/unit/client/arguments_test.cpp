// Arguments given without a struct: names and values, braces, and lists inside co_await.
#include "lanyard/client/arguments.hpp"

#include <gtest/gtest.h>

#include "lanyard/error.hpp"
#include "lanyard/protocol/roots.hpp"
#include "lanyard/reflect.hpp"

namespace lanyard {
namespace {

struct Point {
    int x = 0;
};
LANYARD_STRUCT(Point, x)

TEST(Arguments, accept_names_and_values_of_any_type) {
    Point point;
    point.x = 3;
    EXPECT_EQ(arguments().object().text(), "{}");
    EXPECT_EQ(arguments("a", 40, "b", "two", "c", std::string("\"3\""), "d", true, "e", nullptr,
                        "f", point, "g", std::vector{1, 2}, "h", 1.5)
                  .object()
                  .text(),
              R"({"a":40,"b":"two","c":"\"3\"","d":true,"e":null,"f":{"x":3},"g":[1,2],"h":1.5})");
    EXPECT_EQ(arguments("a\"", 1).object().text(), R"({"a\"":1})");
}

TEST(Arguments, leave_out_empty_optionals) {
    EXPECT_EQ(arguments("a", std::optional<int>(), "b", std::optional<int>(2)).object().text(),
              R"({"b":2})");
}

std::string text(Arguments const& given) {
    return given.object().text();
}

TEST(Arguments, accept_braces) {
    EXPECT_EQ(text({}), "");
    EXPECT_EQ(text({{"a", 1}}), R"({"a":1})");
    EXPECT_EQ(text({{"a", 1}, {"b", "x"}}), R"({"a":1,"b":"x"})");
    EXPECT_EQ(text({{"a", 1},
                    {"b", 2},
                    {"c", 3},
                    {"d", 4},
                    {"e", 5},
                    {"f", 6},
                    {"g", 7},
                    {"h", 8},
                    {"i", 9},
                    {"j", 10},
                    {"k", 11},
                    {"l", 12}}),
              R"({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12})");
}

TEST(Arguments, accept_json_and_maps) {
    EXPECT_EQ(text(RawJson::trusted(R"({"a":1})")), R"({"a":1})");
    EXPECT_EQ(text(JsonObject{{"a", 1}}), R"({"a":1})");
    EXPECT_EQ(text(Json{{"a", 1}}), R"({"a":1})");
    EXPECT_EQ(text(std::map<std::string, std::string>{{"a", "1"}}), R"({"a":"1"})");
    RawJson const raw = arguments("a", 1);
    EXPECT_EQ(raw.text(), R"({"a":1})");
    EXPECT_EQ(to_json_text(arguments("a", 1)), R"({"a":1})");
    EXPECT_EQ(to_json_text(Arguments()), "{}");
}

TEST(Arguments, are_texts_for_prompts) {
    using Texts = std::map<std::string, std::string>;
    EXPECT_EQ(arguments("a", "x\ny", "b", 5, "c", true).as_texts(),
              (Texts{{"a", "x\ny"}, {"b", "5"}, {"c", "true"}}));
    EXPECT_EQ(Arguments().as_texts(), Texts());
    EXPECT_THROW(Arguments(RawJson::trusted("[1]")).as_texts(), Error);
}

TEST(List, accepts_braces_and_vectors) {
    Root root;
    root.uri = "file:///a";
    auto const size = [](detail::ArgumentList<Root> list) { return std::move(list).take().size(); };
    EXPECT_EQ(size({}), 0U);
    EXPECT_EQ(size({root}), 1U);
    EXPECT_EQ(size({root, root, root}), 3U);
    EXPECT_EQ(size(std::vector<Root>(2)), 2U);
}

}  // namespace
}  // namespace lanyard
