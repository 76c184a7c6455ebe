#include "tool_description.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace lanyard::app {
namespace {

std::string described(Tool const& tool, std::size_t width = 0) {
    std::ostringstream out;
    describe(out, tool, width);
    return out.str();
}

Tool tool_with(std::string input_schema) {
    Tool tool;
    tool.name = "count";
    tool.input_schema = RawJson::trusted(std::move(input_schema));
    return tool;
}

TEST(ToolDescription, shows_all_that_is_known_of_the_arguments) {
    auto tool = tool_with(R"({"properties":{
        "from":{"type":"integer","minimum":1,"exclusiveMaximum":9,"default":3,
                "description":"Where to begin"},
        "way":{"enum":["up","down"]},
        "mode":{"oneOf":[{"const":"a","title":"The first"},{"const":"b"}],"description":"Which"},
        "both":{"enum":["c","d"],"oneOf":[{"const":"c","title":"See"},{"const":"d"}]},
        "tags":{"type":"array","items":{"$ref":"#/$defs/tag"},"maxItems":2},
        "name":{"type":"string","minLength":2,"format":"email","title":"Who"}},
        "required":["from"],"additionalProperties":false,
        "$defs":{"tag":{"type":"string","enum":["x","y"]}}})");
    tool.title = "Count";
    tool.description = "Counts.\nSlowly.";
    EXPECT_EQ(described(tool), R"(count: Count
  Counts.
  Slowly.

Arguments:
  from: integer, required, at least 1, less than 9, default 3
      Where to begin
  way: string, optional
      one of: up, down
  mode: string, optional
      Which
      - a: The first
      - b
  both: string, optional
      - c: See
      - d
  tags: string[], optional, at most 2 elements
      one of: x, y
  name: string, optional, at least 2 characters, format email
      Who
)");
}

TEST(ToolDescription, shows_the_result_and_the_hints) {
    auto tool = tool_with(R"({"type":"object","additionalProperties":false})");
    tool.output_schema = RawJson::trusted(
        R"({"properties":{"sum":{"type":"number","description":"a + b"}},"required":["sum"]})");
    tool.annotations.emplace();
    tool.annotations->title = "Counter";
    tool.annotations->read_only_hint = true;
    tool.annotations->destructive_hint = false;
    tool.annotations->idempotent_hint = true;
    tool.annotations->open_world_hint = false;
    tool.execution.emplace();
    tool.execution->task_support = TaskSupport::optional;
    EXPECT_EQ(described(tool), R"(count: Counter

Arguments: none

Structured result:
  sum: number, required
      a + b

Hints: read-only, not destructive, idempotent, closed world, tasks optional
)");
}

TEST(ToolDescription, shows_the_members_of_nested_objects) {
    auto const tool = tool_with(R"({"properties":{
        "address":{"$ref":"#/$defs/address"},
        "items":{"type":"array","minItems":1,"description":"What to send",
                 "items":{"type":"object","properties":{"name":{"type":"string","description":"What"}}}},
        "options":{"type":"object","additionalProperties":{"type":["boolean","string"]}}},
        "required":["address"],
        "$defs":{"address":{"type":"object","properties":{"city":{"type":"string","minLength":1},
            "zip":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["zip"]}}})");
    EXPECT_EQ(described(tool), R"(count

Arguments:
  address: object, required
      city: string, optional, at least 1 character
      zip: string|null, required
  items: object[], optional, at least 1 element
      What to send
      name: string, optional
          What
  options: object, optional, with values boolean|string
)");
}

TEST(ToolDescription, shows_the_alternatives_of_a_value) {
    auto const tool = tool_with(R"({"properties":{"payment":{"description":"How to pay","anyOf":[
        {"type":"object","description":"By card","properties":{"number":{"type":"string"}},
         "required":["number"]},
        {"type":"object","properties":{"iban":{"type":"string"}}},
        {"type":"null"}]}}})");
    EXPECT_EQ(described(tool), R"(count

Arguments:
  payment: object|null, optional
      How to pay
      one of:
      - object: By card
          number: string, required
      - object
          iban: string, optional
)");
}

TEST(ToolDescription, ends_at_a_type_that_contains_itself) {
    auto const tool =
        tool_with(R"({"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{
        "name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}})");
    EXPECT_EQ(described(tool), R"(count

Arguments:
  name: string, optional
  children: object[], optional
      members as above
)");
}

TEST(ToolDescription, shows_results_that_are_not_objects) {
    auto tool = tool_with("{}");
    tool.output_schema =
        RawJson::trusted(R"({"type":"number","minimum":1,"description":"Metres"})");
    EXPECT_NE(described(tool).find("\nStructured result: number, at least 1\n  Metres\n"),
              std::string::npos)
        << described(tool);
    tool.output_schema = RawJson::trusted(
        R"({"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}}}})");
    EXPECT_NE(described(tool).find("\nStructured result: object[]\n  id: integer, optional\n"),
              std::string::npos)
        << described(tool);
}

TEST(ToolDescription, names_schemas_that_are_open) {
    EXPECT_EQ(described(tool_with(R"({"additionalProperties":true})")),
              "count\n\nArguments: any\n");
    EXPECT_EQ(described(tool_with(R"({"properties":{"a":{}},"additionalProperties":{}})")),
              "count\n\nArguments:\n  a: any, optional\n  Other arguments are allowed.\n");
}

TEST(ToolDescription, shows_at_most_100_choices) {
    std::string values = "0";
    for (int i = 1; i <= 100; ++i) values += "," + std::to_string(i);
    auto const text = described(tool_with(R"({"properties":{"a":{"enum":[)" + values + "]}}}"));
    EXPECT_NE(text.find(" 99, …\n"), std::string::npos) << text;
}

TEST(ToolDescription, fits_the_width) {
    auto tool = tool_with(
        R"({"properties":{"a":{"type":"string","description":"one two three four five"}}})");
    tool.description = "six seven eight nine ten";
    EXPECT_EQ(described(tool, 20), R"(count
  six seven eight
  nine ten

Arguments:
  a: string,
      optional
      one two three
      four five
)");
}

TEST(ToolDescription, shows_no_control_characters) {
    auto tool = tool_with(R"({"properties":{"a\u001b":{"description":"\u001b[2J"}}})");
    tool.name = "x\x1By";
    EXPECT_EQ(described(tool).find('\x1B'), std::string::npos);
}

}  // namespace
}  // namespace lanyard::app
