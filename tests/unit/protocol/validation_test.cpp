// Rules on protocol values, each test named after its rule.
#include "protocol/validation.hpp"

#include <gtest/gtest.h>

namespace lanyard::protocol {
namespace {

std::string why(Validity const& validity) {
    return validity ? "valid" : validity.error().to_string();
}

TEST(Rule, T06_tool_name_has_1_to_128_characters) {
    EXPECT_TRUE(check_tool_name("a"));
    EXPECT_TRUE(check_tool_name(std::string(128, 'a')));
    EXPECT_EQ(why(check_tool_name("")), "a tool name must not be empty");
    EXPECT_EQ(why(check_tool_name(std::string(129, 'a'))),
              "a tool name must have at most 128 characters, got 129");
}

TEST(Rule, T07_tool_names_are_case_sensitive) {
    EXPECT_NE((Tool{.name = "Add"}), (Tool{.name = "add"}));
}

TEST(Rule, T08_tool_name_holds_letters_digits_and_three_marks) {
    EXPECT_TRUE(check_tool_name("Get_user-v2.json"));
}

TEST(Rule, T09_tool_name_holds_no_spaces_or_specials) {
    EXPECT_EQ(why(check_tool_name("a b")),
              "a tool name may hold only letters, digits, \"_\", \"-\" and \".\", got byte 0x20");
    EXPECT_EQ(why(check_tool_name("a,b")),
              "a tool name may hold only letters, digits, \"_\", \"-\" and \".\", got \",\"");
    EXPECT_FALSE(check_tool_name("\xc3\xa4"));
    EXPECT_FALSE(check_tool_name("a/b"));
}

Tool tool_with(char const* input_schema) {
    return {.name = "t", .input_schema = RawJson::trusted(input_schema)};
}

TEST(Rule, T04_input_schema_is_an_object) {
    EXPECT_TRUE(check_tool(tool_with(R"({"type":"object","additionalProperties":false})")));
    EXPECT_EQ(why(check_tool(tool_with("null"))), "/inputSchema: must be a JSON Schema object");
    EXPECT_FALSE(check_tool(tool_with("true")));
    EXPECT_FALSE(check_tool(tool_with("")));
}

TEST(Rule, T27_schema_roots_are_objects) {
    EXPECT_EQ(why(check_tool(tool_with("{}"))), "/inputSchema/type: must be \"object\"");
    EXPECT_EQ(why(check_tool(tool_with(R"({"type":"array"})"))),
              "/inputSchema/type: must be \"object\"");
    auto tool = tool_with(R"({"type":"object"})");
    tool.output_schema = RawJson::trusted(R"({"type":"array"})");
    EXPECT_TRUE(check_tool(tool));
    tool.output_schema = RawJson::trusted("[]");
    EXPECT_EQ(why(check_tool(tool)), "/outputSchema: must be a JSON Schema object");
}

TEST(ToolCheck, names_the_member) {
    EXPECT_EQ(why(check_tool({.name = "", .input_schema = RawJson::trusted("{}")})),
              "/name: a tool name must not be empty");
}

TEST(Rule, T28_display_name_is_title_then_annotation_title_then_name) {
    Tool tool{.name = "n"};
    EXPECT_EQ(tool.display_name(), "n");
    tool.annotations.emplace();
    EXPECT_EQ(tool.display_name(), "n");
    tool.annotations->title = "a";
    EXPECT_EQ(tool.display_name(), "a");
    tool.title = "t";
    EXPECT_EQ(tool.display_name(), "t");
}

TEST(Rule, R05_uris_follow_rfc_3986) {
    for (auto const* uri : {"file:///a", "x-custom+1.0:a?b#c", "test://%20", "urn:a:b",
                            "https://[::1]:8080/a;b=c,d?x=1&y='2'"}) {
        EXPECT_TRUE(check_uri(uri)) << uri;
    }
    for (auto const* uri : {"", "no-scheme", ":x", "1a:x", "a b:x", "a:b c", "a:%2", "a:%zz",
                            "a:%2g", "a:\xc3\xa4", "a:\"", "a:<b>", "a:{b}", "a:\\", "a:\x7f"}) {
        EXPECT_FALSE(check_uri(uri)) << uri;
    }
    EXPECT_EQ(why(check_uri("a:b c")), "is not a URI: byte 0x20 must be percent-encoded");
}

TEST(Rule, RT03_roots_are_file_uris) {
    EXPECT_TRUE(check_root({.uri = "file:///home/user/project"}));
    EXPECT_TRUE(check_root({.uri = "FILE:///C:/work"}));
    EXPECT_TRUE(check_root({.uri = "file://host/share"}));
    EXPECT_EQ(why(check_root({.uri = "https://example.com"})), "/uri: must be a file:// URI");
    EXPECT_FALSE(check_root({.uri = "file:relative"}));
    EXPECT_FALSE(check_root({.uri = "files:///a"}));
    EXPECT_EQ(why(check_root({.uri = "/home"})), "/uri: must be a URI with a scheme");
}

TEST(Rule, RT06_roots_have_no_parent_segments) {
    EXPECT_TRUE(check_root({.uri = "file:///a/..b/c.."}));
    EXPECT_EQ(why(check_root({.uri = "file:///a/../b"})), "/uri: must not climb with \"..\"");
    EXPECT_FALSE(check_root({.uri = "file:///a/.."}));
    EXPECT_FALSE(check_root({.uri = "file:///a/%2e%2E/b"}));
    EXPECT_FALSE(check_root({.uri = "file:///a%2F..%2fb"}));
    EXPECT_FALSE(check_root({.uri = "file:///a%5C..%5Cb"}));
    EXPECT_EQ(why(check_root({.uri = "file:///a%00"})), "/uri: must not hold a NUL");
}

TEST(Rule, IM10_icons_are_https_or_data) {
    EXPECT_TRUE(check_icon_source("https://example.com/i.png"));
    EXPECT_TRUE(check_icon_source("HTTPS://example.com/i.png"));
    EXPECT_TRUE(check_icon_source("data:image/png;base64,AAAA"));
    for (auto const* src :
         {"http://example.com/i.png", "javascript:alert(1)", "file:///etc/passwd", "ftp://a/b",
          "ws://a/b", "https:", "https:///path", "app:thing", "i.png"}) {
        EXPECT_FALSE(check_icon_source(src)) << src;
    }
    EXPECT_EQ(why(check_icon_source("javascript:alert(1)")),
              "an icon must be an https: or data: URI, got the scheme \"javascript\"");
}

TEST(Rule, EL15_elicitation_urls_are_web_urls) {
    EXPECT_TRUE(check_elicitation_url("https://example.com/consent?x=1"));
    EXPECT_TRUE(check_elicitation_url("http://localhost:8080"));
    EXPECT_FALSE(check_elicitation_url("javascript:alert(1)"));
    EXPECT_FALSE(check_elicitation_url("https://"));
    EXPECT_FALSE(check_elicitation_url("https:example.com"));
    EXPECT_FALSE(check_elicitation_url("example.com"));
}

FormSchema form(PrimitiveSchemaDefinition schema) {
    return {.fields = {{.name = "f", .schema = std::move(schema)}}};
}

TEST(Rule, EL59_forms_hold_every_primitive_kind) {
    FormSchema const schema{
        .fields = {
            {.name = "s", .schema = StringSchema{.min_length = 0, .max_length = 0}},
            {.name = "n",
             .schema =
                 NumberSchema{.integer = true, .minimum = 1, .maximum = 1, .default_value = 1}},
            {.name = "d", .schema = NumberSchema{.default_value = 1.5}},
            {.name = "b", .schema = BooleanSchema{.default_value = true}},
            {.name = "e",
             .schema = SingleSelectEnumSchema{.options = {{"a"}, {"b"}}, .default_value = "b"}},
            {.name = "x", .schema = SingleSelectEnumSchema{.options = {{"a"}}}},
            {.name = "m",
             .schema = MultiSelectEnumSchema{.options = {{"a"}, {"b"}},
                                             .min_items = 1,
                                             .max_items = 2,
                                             .default_value = {{"a", "b"}}}},
            {.name = "y", .schema = MultiSelectEnumSchema{.options = {{"a"}}}},
        }};
    EXPECT_EQ(why(check_form_schema(schema)), "valid");
}

TEST(Rule, EL59_field_names_are_distinct) {
    FormSchema const schema{.fields = {{.name = "a"}, {.name = "b"}, {.name = "a"}}};
    EXPECT_EQ(why(check_form_schema(schema)), "/properties: names the field \"a\" twice");
}

TEST(Rule, EL59_bounds_are_consistent) {
    EXPECT_EQ(why(check_form_schema(form(StringSchema{.min_length = 2, .max_length = 1}))),
              "/properties/f/minLength: must not exceed maxLength");
    EXPECT_EQ(why(check_form_schema(form(StringSchema{.min_length = -1}))),
              "/properties/f/minLength: must not be negative");
    EXPECT_FALSE(check_form_schema(form(StringSchema{.max_length = -1})));
    EXPECT_EQ(why(check_form_schema(form(NumberSchema{.minimum = 2, .maximum = 1}))),
              "/properties/f/minimum: must not exceed maximum");
    MultiSelectEnumSchema multi{.options = {{"a"}}, .min_items = 2, .max_items = 1};
    EXPECT_EQ(why(check_form_schema(form(multi))),
              "/properties/f/minItems: must not exceed maxItems");
    multi.min_items = -1;
    EXPECT_FALSE(check_form_schema(form(multi)));
    multi.min_items = 0;
    multi.max_items = -1;
    EXPECT_FALSE(check_form_schema(form(multi)));
}

TEST(Rule, EL59_defaults_match_their_field) {
    EXPECT_EQ(why(check_form_schema(form(NumberSchema{.integer = true, .default_value = 1.5}))),
              "/properties/f/default: must be an integer");
    EXPECT_EQ(why(check_form_schema(form(NumberSchema{.minimum = 1, .default_value = 0}))),
              "/properties/f/default: must lie between minimum and maximum");
    EXPECT_FALSE(check_form_schema(form(NumberSchema{.maximum = 1, .default_value = 2})));
    EXPECT_EQ(why(check_form_schema(
                  form(SingleSelectEnumSchema{.options = {{"a"}}, .default_value = "b"}))),
              "/properties/f/default: \"b\" is not one of the choices");
    EXPECT_EQ(why(check_form_schema(
                  form(MultiSelectEnumSchema{.options = {{"a"}}, .default_value = {{"a", "c"}}}))),
              "/properties/f/default: \"c\" is not one of the choices");
    MultiSelectEnumSchema multi{
        .options = {{"a"}, {"b"}}, .min_items = 2, .default_value = {{"a"}}};
    EXPECT_EQ(why(check_form_schema(form(multi))),
              "/properties/f/default: must have between minItems and maxItems values");
    multi.min_items = 0;
    multi.max_items = 0;
    EXPECT_FALSE(check_form_schema(form(multi)));
    multi.max_items = 1;
    EXPECT_TRUE(check_form_schema(form(multi)));
}

TEST(Rule, EL59_choices_are_distinct_and_present) {
    EXPECT_EQ(why(check_form_schema(form(SingleSelectEnumSchema{}))),
              "/properties/f: must offer at least one choice");
    EXPECT_EQ(why(check_form_schema(form(MultiSelectEnumSchema{.options = {{"a"}, {"a"}}}))),
              "/properties/f: offers the choice \"a\" twice");
}

TEST(FormCheck, pointers_are_escaped) {
    FormSchema const schema{.fields = {{.name = "a/b~c", .schema = SingleSelectEnumSchema{}}}};
    EXPECT_EQ(check_form_schema(schema).error().pointer, "/properties/a~1b~0c");
}

SamplingMessage use(std::vector<std::string> ids, Role role = Role::assistant) {
    SamplingMessage message{.role = role};
    for (auto& id : ids) {
        message.content.emplace_back(ToolUseContent{.id = id, .name = "t"});
    }
    return message;
}

SamplingMessage answer(std::vector<std::string> ids, Role role = Role::user) {
    SamplingMessage message{.role = role};
    for (auto& id : ids) message.content.emplace_back(ToolResultContent{.tool_use_id = id});
    return message;
}

SamplingMessage text(Role role) {
    return {.role = role, .content = {TextContent{.text = "x"}}};
}

std::string conversation(std::vector<SamplingMessage> const& messages) {
    return why(check_sampling_messages(messages));
}

TEST(Sampling, tool_conversations_are_accepted) {
    EXPECT_EQ(conversation({}), "valid");
    EXPECT_EQ(conversation({text(Role::user), use({"1", "2"}), answer({"2", "1"}),
                            text(Role::assistant), use({"3"}), answer({"3"})}),
              "valid");
}

TEST(Rule, SM08_tool_results_are_not_mixed_with_other_content) {
    auto mixed = answer({"1"});
    mixed.content.emplace_back(TextContent{.text = "x"});
    EXPECT_EQ(conversation({use({"1"}), mixed}),
              "/1/content: a message with tool results must hold nothing else");
    auto both = answer({"1"});
    both.content.emplace_back(ToolUseContent{.id = "2"});
    EXPECT_EQ(conversation({use({"1"}), both}),
              "/1/content: a message with tool results must hold nothing else");
}

TEST(Rule, SM09_every_tool_use_is_answered_by_the_next_message) {
    auto const expected =
        "/1/content: must be a user message with one result for each tool use of the message "
        "before";
    EXPECT_EQ(conversation({use({"1", "2"}), answer({"1"})}), expected);
    EXPECT_EQ(conversation({use({"1"}), answer({"1", "1"})}), expected);
    EXPECT_EQ(conversation({use({"1"}), text(Role::user)}), expected);
    EXPECT_EQ(conversation({use({"1"}), answer({"1"}, Role::assistant)}), expected);
    EXPECT_EQ(conversation({use({"1"})}), "the last message uses tools, and no results follow");
}

TEST(Rule, SM10_tool_results_refer_to_earlier_uses) {
    EXPECT_EQ(conversation({answer({"1"})}),
              "/0/content: the tool result \"1\" belongs to no earlier tool use");
}

TEST(Rule, CO14_a_completion_has_at_most_100_values) {
    Completion completion{.values = std::vector<std::string>(100, "x")};
    EXPECT_TRUE(check_completion(completion));
    completion.values.emplace_back();
    EXPECT_EQ(why(check_completion(completion)), "/values: must hold at most 100 values, got 101");
}

}  // namespace
}  // namespace lanyard::protocol
