#include "arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "expect_usage.hpp"
#include "lanyard/json/writer.hpp"

namespace lanyard::app {
namespace {

using testing::HasSubstr;

Tool tool_with(std::string const& schema) {
    Tool tool;
    tool.name = "greet";
    tool.input_schema = RawJson::trusted(schema);
    return tool;
}

Tool greet() {
    return tool_with(R"({"type":"object","properties":{
        "name":{"type":"string"},
        "times":{"type":"integer","minimum":1,"maximum":5},
        "ratio":{"type":["number","null"]},
        "loud":{"type":"boolean"},
        "tags":{"type":"array","items":{"type":"string"}},
        "sizes":{"type":"array","items":{"type":"integer"}},
        "style":{"$ref":"#/$defs/style"},
        "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},
        "level":{"enum":[1,2,3]},
        "anything":{},
        "place":{"type":"object","properties":{"city":{"type":"string"}}}},
        "$defs":{"style":{"enum":["plain","fancy"]}}})");
}

std::string typed(std::vector<std::string> const& words, Tool const& tool = greet()) {
    std::istringstream in;
    return json::serialize(Json(CommandLine::parse(words, in).for_tool(tool, true)));
}

std::string refused(std::vector<std::string> const& words, Tool const& tool = greet()) {
    return usage_text([&] { typed(words, tool); });
}

TEST(CommandLine, arguments_are_strings_if_the_schema_requires_it) {
    EXPECT_EQ(typed({"name=5"}), R"({"name":"5"})");
    EXPECT_EQ(typed({"name="}), R"({"name":""})");
    EXPECT_EQ(typed({"name=a=b"}), R"({"name":"a=b"})");
    EXPECT_EQ(typed({"style=fancy"}), R"({"style":"fancy"})");
    EXPECT_EQ(typed({"anything=5"}), R"({"anything":"5"})");
}

TEST(CommandLine, arguments_are_converted_to_the_type_of_the_schema) {
    EXPECT_EQ(typed({"times=3"}), R"({"times":3})");
    EXPECT_EQ(typed({"ratio=0.5"}), R"({"ratio":0.5})");
    EXPECT_EQ(typed({"ratio=2"}), R"({"ratio":2})");
    EXPECT_EQ(typed({"ratio=null"}), R"({"ratio":null})");
    EXPECT_EQ(typed({"loud=true"}), R"({"loud":true})");
    EXPECT_EQ(typed({"maybe=7"}), R"({"maybe":7})");
    EXPECT_EQ(typed({"level=2"}), R"({"level":2})");
    EXPECT_EQ(typed({R"(place={"city":"Oslo"})"}), R"({"place":{"city":"Oslo"}})");
}

TEST(CommandLine, repeated_arguments_become_a_list) {
    EXPECT_EQ(typed({"tags=a"}), R"({"tags":["a"]})");
    EXPECT_EQ(typed({"tags=a", "tags=b"}), R"({"tags":["a","b"]})");
    EXPECT_EQ(typed({R"(tags=["x"])"}), R"({"tags":["x"]})");
    EXPECT_EQ(typed({"sizes=1", "sizes=2"}), R"({"sizes":[1,2]})");
    EXPECT_EQ(refused({"sizes=big"}), "argument 'sizes' must be a list of an integer, got 'big'");
}

TEST(CommandLine, arguments_in_json_are_not_converted) {
    EXPECT_EQ(typed({"times:=3"}), R"({"times":3})");
    EXPECT_EQ(typed({R"(name:="x")"}), R"({"name":"x"})");
    EXPECT_EQ(typed({R"({"times":2,"name":"a"})", "name=b"}), R"({"times":2,"name":"b"})");
    EXPECT_THAT(refused({"times:=three"}), HasSubstr("argument 'times' is not JSON"));
    EXPECT_THAT(refused({"times:=three"}), HasSubstr("write times=three"));
    EXPECT_THAT(refused({"{oops"}), HasSubstr("the arguments are not JSON"));
}

TEST(CommandLine, arguments_are_read_from_stdin_and_files) {
    std::istringstream in(R"({"name":"stdin"})");
    EXPECT_EQ(json::serialize(Json(CommandLine::parse({"-"}, in).for_tool(greet(), true))),
              R"({"name":"stdin"})");
    std::istringstream list("[1]");
    EXPECT_EQ(usage_text([&] { CommandLine::parse({"-"}, list); }),
              "the arguments on stdin must be a JSON object");

    auto const path = std::filesystem::path(testing::TempDir()) / "arguments.json";
    std::ofstream(path) << R"({"name":"file"})";
    EXPECT_EQ(typed({"@" + path.string()}), R"({"name":"file"})");
    EXPECT_EQ(refused({"@/no/such/file"}), "the arguments file '/no/such/file' cannot be read");
}

TEST(CommandLine, take_values_from_files) {
    auto const path = (std::filesystem::path(testing::TempDir()) / "value.txt").string();
    std::ofstream(path) << "3\n";
    EXPECT_EQ(typed({"name=@" + path}), R"({"name":"3\n"})");
    EXPECT_EQ(typed({"times=@" + path}), R"({"times":3})");
    EXPECT_EQ(typed({"times:=@" + path}), R"({"times":3})");
    EXPECT_EQ(typed({"name=@@x"}), R"({"name":"@x"})");
    EXPECT_EQ(typed({R"(name:="@x")"}), R"({"name":"@x"})");
    EXPECT_EQ(refused({"name=@/no/such"}),
              "argument 'name': the file '/no/such' cannot be read; for the text '@/no/such' write "
              "name=@@/no/such");
    std::ofstream(path) << "\xFF";
    EXPECT_EQ(refused({"name=@" + path}), "argument 'name': '" + path + "' is not UTF-8 text");
    EXPECT_THAT(refused({"times:=@" + path}), HasSubstr("is not UTF-8 text"));
    std::ofstream(path) << "three";
    EXPECT_THAT(refused({"times:=@" + path}), HasSubstr("argument 'times' is not JSON"));
}

TEST(CommandLine, invalid_arguments_are_refused_by_name) {
    EXPECT_EQ(refused({"times=three"}), "argument 'times' must be an integer, got 'three'");
    EXPECT_EQ(refused({"times=1.5"}), "argument 'times' must be an integer, got '1.5'");
    EXPECT_EQ(refused({"loud=yes"}), "argument 'loud' must be true or false, got 'yes'");
    EXPECT_EQ(refused({"ratio=x"}), "argument 'ratio' must be null or a number, got 'x'");
    EXPECT_EQ(refused({"place=Oslo"}), "argument 'place' must be a JSON object, got 'Oslo'");
    EXPECT_THAT(refused({"times=9"}), HasSubstr("argument 'times': must be at most 5, got 9"));
    EXPECT_THAT(refused({R"({"place":{"city":1}})"}), HasSubstr("argument 'place/city': "));
}

TEST(CommandLine, missing_arguments_are_named) {
    auto const strict = tool_with(R"({"type":"object","properties":{"a":{"type":"number"}},
                                      "required":["a"]})");
    EXPECT_EQ(refused({}, strict),
              "the arguments of tool 'greet': missing required property \"a\"");
}

TEST(CommandLine, unknown_arguments_are_refused_with_the_nearest_name) {
    EXPECT_EQ(refused({"tmes=3"}), "tool 'greet' has no argument 'tmes'; did you mean 'times'?");
    EXPECT_EQ(refused({"x=1"}, tool_with(R"({"type":"object"})")),
              "tool 'greet' has no argument 'x'; it takes none");
    EXPECT_EQ(
        refused({"qqqqqqqq=1"}, tool_with(R"({"type":"object","properties":{"a":{},"b":{}}})")),
        "tool 'greet' has no argument 'qqqqqqqq'; it takes a, b");
    auto const open = tool_with(R"({"type":"object","additionalProperties":true})");
    EXPECT_EQ(typed({"x=1"}, open), R"({"x":"1"})");
    // Given as JSON they are accepted, unless the schema forbids them.
    EXPECT_EQ(typed({"x:=1"}, tool_with(R"({"type":"object"})")), R"({"x":1})");
    auto const closed = tool_with(R"({"type":"object","additionalProperties":false})");
    EXPECT_THAT(refused({"x:=1"}, closed), HasSubstr("'greet'"));
}

TEST(CommandLine, arguments_are_not_checked_if_that_is_switched_off) {
    std::istringstream in;
    auto const unchecked = CommandLine::parse({"times=9", "x=1", "loud=very", "sizes=big"}, in)
                               .for_tool(greet(), false);
    EXPECT_EQ(json::serialize(Json(unchecked)),
              R"({"times":9,"x":"1","loud":"very","sizes":"big"})");
}

TEST(CommandLine, arguments_are_not_checked_against_a_schema_that_does_not_compile) {
    EXPECT_EQ(typed({"a=1"}, tool_with(R"({"type":"object","properties":{"a":{"type":"number"}},
                                           "minProperties":"two"})")),
              R"({"a":1})");
    // Dangling and circular references do not determine a type.
    EXPECT_EQ(typed({"a=1"}, tool_with(R"({"properties":{"a":{"$ref":"#/$defs/gone"}}})")),
              R"({"a":"1"})");
    EXPECT_EQ(typed({"a=1"}, tool_with(R"({"properties":{"a":{"$ref":"#/properties/a"}}})")),
              R"({"a":"1"})");
}

TEST(CommandLine, arguments_need_a_name) {
    for (auto const* word : {"hello", "=x", ":=1", ""}) {
        EXPECT_THAT(refused({word}), HasSubstr("is not an argument: write name=value")) << word;
    }
}

TEST(CommandLine, arguments_of_a_prompt_are_strings) {
    Prompt prompt;
    prompt.name = "review";
    PromptArgument code;
    code.name = "code";
    code.description = "What to review";
    code.required = true;
    PromptArgument focus;
    focus.name = "focus";
    prompt.arguments = {code, focus};
    auto const given = [&](std::vector<std::string> const& words) {
        std::istringstream in;
        return CommandLine::parse(words, in).for_prompt(prompt);
    };
    EXPECT_EQ(given({"code=x", "focus:=5"}),
              (std::map<std::string, std::string>{{"code", "x"}, {"focus", "5"}}));
    EXPECT_EQ(usage_text([&] { given({"focus=x"}); }),
              "prompt 'review' needs the argument 'code' (What to review)");
    EXPECT_EQ(usage_text([&] { given({"code=x", "focsu=x"}); }),
              "prompt 'review' has no argument 'focsu'; did you mean 'focus'?");
}

TEST(CommandLine, required_arguments_with_a_default_are_filled_in) {
    auto const tool = tool_with(R"({"type":"object","properties":{
        "scale":{"enum":["css","device"],"default":"css"},"name":{"type":"string"},
        "other":{"type":"integer","default":1}},"required":["scale","name"]})");
    EXPECT_EQ(typed({"name=x"}, tool), R"({"name":"x","scale":"css"})");
    EXPECT_EQ(typed({"name=x", "scale=device"}, tool), R"({"name":"x","scale":"device"})");
    EXPECT_THAT(refused({}, tool), HasSubstr("missing required property \"name\""));
    std::istringstream in;
    EXPECT_TRUE(CommandLine::parse({}, in).for_tool(tool, false).empty());
}

TEST(CommandLine, arguments_may_belong_to_one_of_several_alternatives) {
    auto const tool = tool_with(R"({"type":"object","anyOf":[
        {"properties":{"id":{"type":"integer"}},"required":["id"]},
        {"properties":{"name":{"type":"string"}},"required":["name"]}]})");
    EXPECT_EQ(typed({"id=5"}, tool), R"({"id":5})");
    EXPECT_EQ(typed({"name=5"}, tool), R"({"name":"5"})");
    EXPECT_THAT(refused({"nmae=x"}, tool), HasSubstr("did you mean 'name'?"));
}

}  // namespace
}  // namespace lanyard::app
