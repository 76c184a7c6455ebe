// Validation from a caller's view: verdicts and the messages that explain them.
#include "lanyard/schema.hpp"

#include <gtest/gtest.h>

#include "lanyard/json.hpp"
#include "schema/program.hpp"

namespace lanyard::schema {
namespace {

Json parse(std::string_view text) {
    return json::parse(text).value();
}

Validator compiled(std::string_view schema, Options const& options = {}) {
    auto result = Validator::compile(parse(schema), options);
    if (!result) ADD_FAILURE() << result.error().to_string();
    return std::move(result).value();
}

// Returns the message of validate(), which must be the same for a tree and a view; "valid" if there
// is none.
std::string verdict(Validator const& validator, std::string_view instance) {
    auto const by_tree = validator.validate(parse(instance));
    json::Document document;
    auto const view = document.parse(instance).value();
    auto const by_view = validator.validate(view);
    EXPECT_EQ(by_tree.has_value(), validator.is_valid(parse(instance)));
    EXPECT_EQ(by_view.has_value(), validator.is_valid(view));
    auto const text = [](Result<void, ValidationFailure> const& result) {
        return result ? "valid" : result.error().to_string();
    };
    EXPECT_EQ(text(by_tree), text(by_view));
    return text(by_view);
}

std::string verdict(std::string_view schema, std::string_view instance) {
    return verdict(compiled(schema), instance);
}

TEST(SchemaErrors, name_the_expected_type) {
    EXPECT_EQ(verdict(R"({"type":"string"})", "5"), "must be a string, got 5");
    EXPECT_EQ(verdict(R"({"type":["string","null"]})", "[]"),
              "must be a string or null, got an array");
    EXPECT_EQ(verdict(R"({"type":["object","array","boolean"]})", "1.5"),
              "must be a boolean, an array or an object, got 1.5");
    EXPECT_EQ(verdict(R"({"type":"integer"})", "1.5"), "must be an integer, got 1.5");
    EXPECT_EQ(verdict(R"({"type":"integer"})", "1.0"), "valid");
    EXPECT_EQ(verdict(R"({"type":"number"})", "\"a\""), "must be a number, got \"a\"");
    EXPECT_EQ(verdict(R"({"type":["integer","number"]})", "{}"), "must be a number, got an object");
    EXPECT_EQ(verdict("false", "null"), "is not allowed");
    EXPECT_EQ(verdict("true", "null"), "valid");
}

TEST(SchemaErrors, name_the_exceeded_bound) {
    auto const schema = R"({"properties":{"times":{"minimum":1,"maximum":5}}})";
    EXPECT_EQ(verdict(schema, R"({"times":9})"), "/times: must be at most 5, got 9");
    EXPECT_EQ(verdict(schema, R"({"times":0})"), "/times: must be at least 1, got 0");
    EXPECT_EQ(verdict(R"({"exclusiveMinimum":1.5})", "1.5"), "must be more than 1.5, got 1.5");
    EXPECT_EQ(verdict(R"({"exclusiveMaximum":3})", "3"), "must be less than 3, got 3");
    EXPECT_EQ(verdict(R"({"multipleOf":0.01})", "0.015"), "must be a multiple of 0.01, got 0.015");
    EXPECT_EQ(verdict(R"({"minimum":18446744073709551615})", "18446744073709551614"),
              "must be at least 18446744073709551615, got 18446744073709551614");
    EXPECT_EQ(verdict(R"({"minimum":3, "maximum":1, "exclusiveMinimum":3})", "2"),
              "must be at least 3, got 2\nmust be more than 3, got 2\nmust be at most 1, got 2");
}

TEST(SchemaErrors, list_the_values_that_are_allowed) {
    EXPECT_EQ(
        verdict(R"({"properties":{"color":{"enum":["red","green"]}}})", R"({"color":"blue"})"),
        R"(/color: must be one of "red", "green", got "blue")");
    EXPECT_EQ(
        verdict(R"({"enum":["a","b"],"oneOf":[{"const":"a","title":"A"},{"const":"b"}]})", "\"c\""),
        R"(must be one of "a", "b", got "c")");
    EXPECT_EQ(verdict(R"({"const":"a"})", "\"b\""), R"(must be "a", got "b")");
    EXPECT_EQ(verdict(R"({"const":{"a":[1]}})", "{}"), "must be an object, got an object");
    EXPECT_EQ(verdict(R"({"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]})", "0"),
              "must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more, got 0");
    EXPECT_EQ(verdict(R"({"enum":[null,true,[1]]})", "false"),
              "must be one of null, true, an array, got false");
}

TEST(SchemaErrors, cut_long_strings_between_characters) {
    std::string const long_text = "a" + [] {
        std::string text;
        for (int i = 0; i < 60; ++i) text += "\u00e9";
        return text;
    }();
    auto const said = verdict(R"({"const":""})", "\"" + long_text + "\"");
    EXPECT_EQ(said, "must be \"\", got \"" + long_text.substr(0, 79) + "...\"");
}

TEST(SchemaErrors, count_characters_not_bytes) {
    EXPECT_EQ(verdict(R"({"maxLength":2})", "\"\\u00e9\\ud83d\\ude00\""), "valid");
    EXPECT_EQ(verdict(R"({"maxLength":1})", "\"\u00e9\u00e9\""),
              "must have at most 1 character, has 2");
    EXPECT_EQ(verdict(R"({"minLength":3})", "\"\u00e9\u00e9\""),
              "must have at least 3 characters, has 2");
    EXPECT_EQ(verdict(R"({"minLength":1})", "\"abcd\""), "valid");
    EXPECT_EQ(verdict(R"({"minLength":2.0})", "\"a\""), "must have at least 2 characters, has 1");
    EXPECT_EQ(verdict(R"({"minLength":1e300})", "\"a\""),
              "must have at least 18446744073709551615 characters, has 1");
    EXPECT_EQ(verdict(R"({"maxLength":18446744073709551615})", "\"a\""), "valid");
}

TEST(SchemaErrors, show_the_pattern) {
    EXPECT_EQ(verdict(R"({"pattern":"^a+$"})", "\"b\""),
              R"(must match the pattern "^a+$", got "b")");
    EXPECT_EQ(verdict(R"({"pattern":"^a+$"})", "\"aa\""), "valid");
    EXPECT_EQ(verdict(R"({"minLength":3,"pattern":"^a+$"})", "\"b\""),
              "must have at least 3 characters, has 1\nmust match the pattern \"^a+$\", got \"b\"");
}

TEST(SchemaErrors, name_the_format_only_if_formats_are_asserted) {
    auto const schema = R"({"format":"ipv4"})";
    EXPECT_EQ(verdict(schema, "\"x\""), "valid");
    auto const strict = compiled(schema, Options().assert_formats());
    EXPECT_EQ(verdict(strict, "\"x\""), R"(must be in the format "ipv4", got "x")");
    EXPECT_EQ(verdict(strict, "\"127.0.0.1\""), "valid");
    EXPECT_EQ(verdict(strict, "5"), "valid");
    EXPECT_EQ(verdict(compiled(R"({"format":"nonsense"})", Options().assert_formats()), "\"x\""),
              "valid");
}

TEST(SchemaErrors, name_missing_and_unknown_properties) {
    auto const schema =
        R"({"properties":{"name":{},"age":{}},"required":["name"],"additionalProperties":false})";
    EXPECT_EQ(verdict(schema, "{}"), "missing required property \"name\"");
    EXPECT_EQ(verdict(schema, R"({"nmae":1})"),
              "unknown property \"nmae\" (did you mean \"name\"?)\n"
              "missing required property \"name\"");
    EXPECT_EQ(verdict(schema, R"({"name":1,"zzzzzz":1})"), "unknown property \"zzzzzz\"");
    EXPECT_EQ(verdict(schema, R"({"name":1,"na\u006de2":1})"),
              "unknown property \"name2\" (did you mean \"name\"?)");
    auto const too_long = std::string(100, 'n');
    EXPECT_EQ(verdict(schema, R"({"name":1,")" + too_long + R"(":1})"),
              "unknown property \"" + too_long.substr(0, 80) + "...\"");
    EXPECT_EQ(verdict(R"({"additionalProperties":false,"required":["a"]})", R"({"a":1})"),
              "unknown property \"a\"");
}

TEST(SchemaErrors, point_at_the_value_with_escapes) {
    auto const schema = R"({"additionalProperties":{"items":{"type":"string"}}})";
    EXPECT_EQ(verdict(schema, R"({"a/b~c":["x",1]})"), "/a~1b~0c/1: must be a string, got 1");
}

TEST(SchemaErrors, count_properties_and_items) {
    EXPECT_EQ(verdict(R"({"minProperties":1})", "{}"), "must have at least 1 property, has 0");
    EXPECT_EQ(verdict(R"({"maxProperties":0})", R"({"a":1})"),
              "must have at most 0 properties, has 1");
    EXPECT_EQ(verdict(R"({"minItems":2})", "[1]"), "must have at least 2 items, has 1");
    EXPECT_EQ(verdict(R"({"maxItems":1})", "[1,2]"), "must have at most 1 item, has 2");
    EXPECT_EQ(verdict(R"({"prefixItems":[{}],"items":false})", "[1,2,3]"),
              "must have at most 1 item, has 3");
}

TEST(SchemaErrors, show_the_number_of_matching_items) {
    EXPECT_EQ(verdict(R"({"contains":{"const":1}})", "[2]"),
              "must contain at least 1 matching item, has 0");
    EXPECT_EQ(verdict(R"({"contains":{"const":1},"minContains":2})", "[1,2]"),
              "must contain at least 2 matching items, has 1");
    EXPECT_EQ(verdict(R"({"contains":{"const":1},"maxContains":1})", "[1,1]"),
              "must contain at most 1 matching item, has 2");
    EXPECT_EQ(verdict(R"({"contains":{"const":1},"minContains":0})", "[2]"), "valid");
}

TEST(SchemaErrors, name_the_equal_items) {
    auto const schema = R"({"uniqueItems":true})";
    EXPECT_EQ(verdict(schema, "[3,1,2,1.0]"), "items must be unique, but items 1 and 3 are equal");
    EXPECT_EQ(verdict(schema, R"([{"a":1,"b":[2]},{"b":[2.0],"a":1}])"),
              "items must be unique, but items 0 and 1 are equal");
    EXPECT_EQ(verdict(schema, R"(["a","\u0061"])"),
              "items must be unique, but items 0 and 1 are equal");
    EXPECT_EQ(verdict(schema, R"(["a","b",1,null,true,false,[],{},"",0,[1],[[]],{"a":1},{"a":2},
                               {"b":1},[null],[true],[false],1.5,["a"],[1.5],[{}],[-1]])"),
              "valid");
    EXPECT_EQ(verdict(schema, R"([null,true,false,0,1,"0",null])"),
              "items must be unique, but items 0 and 6 are equal");
    EXPECT_EQ(verdict(schema, R"([true,false,true])"),
              "items must be unique, but items 0 and 2 are equal");
}

TEST(SchemaErrors, explain_names_that_break_property_names) {
    EXPECT_EQ(verdict(R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})"),
              "the property name \"abc\" must have at most 2 characters, has 3");
    EXPECT_EQ(verdict(R"({"propertyNames":{"const":"ab"}})", R"({"ab":1})"), "valid");
}

TEST(SchemaErrors, explain_dependencies) {
    EXPECT_EQ(
        verdict(R"({"dependentRequired":{"card":["name","address"]}})", R"({"card":1,"name":2})"),
        "missing property \"address\", required because \"card\" is present");
    EXPECT_EQ(verdict(R"({"dependentSchemas":{"card":{"required":["name"]}}})", R"({"card":1})"),
              "missing required property \"name\"");
    EXPECT_EQ(verdict(R"({"dependencies":{"a":["b"],"c":{"minProperties":2}}})", R"({"a":1})"),
              "missing property \"b\", required because \"a\" is present");
    EXPECT_EQ(verdict(R"({"dependencies":{"a":["b"],"c":{"minProperties":2}}})", R"({"c":1})"),
              "must have at least 2 properties, has 1");
}

TEST(SchemaErrors, explain_negation_and_conditions) {
    EXPECT_EQ(verdict(R"({"not":{"type":"string"}})", "\"a\""),
              "must not match the schema of \"not\", got \"a\"");
    auto const schema = R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"maximum":5}})";
    EXPECT_EQ(verdict(schema, "15"), "must be a multiple of 10, got 15");
    EXPECT_EQ(verdict(schema, "7"), "must be at most 5, got 7");
    EXPECT_EQ(verdict(R"({"if":{"minimum":10}})", "5"), "valid");
}

TEST(SchemaErrors, of_alternatives_describe_the_closest_one) {
    auto const shapes = R"({"anyOf":[
        {"type":"string"},
        {"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},
         "required":["kind","r"]},
        {"type":"object","properties":{"kind":{"const":"box"},"w":{"type":"number"},
         "h":{"type":"number"}},"required":["kind","w","h"]}]})";
    EXPECT_EQ(verdict(shapes, R"({"kind":"circle","r":"big"})"),
              "/r: must be a number, got \"big\"");
    EXPECT_EQ(verdict(shapes, R"({"kind":"box","w":1})"), "missing required property \"h\"");
    EXPECT_EQ(verdict(shapes, "5"), "must be a string or an object, got 5");
    auto const payments = R"({"anyOf":[
        {"type":"object","properties":{"number":{"type":"string"}},"required":["number"]},
        {"type":"object","properties":{"iban":{"type":"string"}},"required":["iban"]},
        {"type":"null"}]})";
    EXPECT_EQ(verdict(payments, "{}"),
              R"(missing required property "number"; or missing required property "iban")");
    EXPECT_EQ(verdict(R"({"oneOf":[{"const":"a"},{"enum":["b","c"]}]})", "\"d\""),
              R"(must be one of "a", "b", "c", got "d")");
    EXPECT_EQ(verdict(R"({"oneOf":[{"const":"a","minLength":2},{"const":"b"}]})", "\"a\""),
              "must have at least 2 characters, has 1");
    EXPECT_EQ(verdict(R"({"oneOf":[{"minimum":1},{"minimum":2},{"minimum":3}]})", "2"),
              "must match exactly one alternative of \"oneOf\", but matches numbers 1 and 2");
    EXPECT_EQ(verdict(R"({"oneOf":[{"minimum":5,"multipleOf":2},{"minimum":5}]})", "3"),
              "must be at least 5, got 3");
    EXPECT_EQ(verdict(R"({"anyOf":[false]})", "1"), "is not allowed");
    EXPECT_EQ(verdict(R"({"anyOf":[{"type":"array","items":{"enum":[1]}},
                                 {"type":"array","items":{"enum":[2]},"minItems":2}]})",
                      "[3]"),
              "/0: must be 1, got 3");
}

TEST(SchemaErrors, name_unevaluated_members_and_items) {
    EXPECT_EQ(verdict(R"({"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false})",
                      R"({"a":1,"b":2})"),
              "unknown property \"b\"");
    EXPECT_EQ(verdict(R"({"prefixItems":[true],"unevaluatedItems":false})", "[1,2]"),
              "unexpected item 1");
    EXPECT_EQ(verdict(R"({"unevaluatedItems":{"type":"string"}})", "[1]"),
              "/0: must be a string, got 1");
    EXPECT_EQ(verdict(R"({"unevaluatedProperties":{"type":"string"}})", R"({"a":1})"),
              "/a: must be a string, got 1");
    EXPECT_EQ(verdict(R"({"minProperties":3,"unevaluatedProperties":false})", R"({"a":1})"),
              "must have at least 3 properties, has 1\nunknown property \"a\"");
}

TEST(Unevaluated, works_with_more_than_sixty_four_members) {
    std::string properties;
    std::string members;
    for (int i = 0; i < 70; ++i) {
        auto const name = "\"p" + std::to_string(i) + "\"";
        properties += (i > 0 ? "," : "") + name + ":true";
        members += (i > 0 ? "," : "") + name + ":1";
    }
    auto const schema = R"({"anyOf":[{"properties":{)" + properties +
                        R"(}}],"unevaluatedProperties":false,"required":["p69"]})";
    EXPECT_EQ(verdict(schema, "{" + members + "}"), "valid");
    EXPECT_EQ(verdict(schema, "{" + members + R"(,"more":1})"), "unknown property \"more\"");
    auto const nested =
        R"({"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false})";
    EXPECT_EQ(verdict(nested, "{" + members + "}"), "valid");
}

TEST(SchemaErrors, carry_both_locations_and_the_keyword) {
    auto const validator = compiled(
        R"({"$id":"https://example.com/s","properties":{"a b":{"$ref":"#/$defs/small"}},
            "$defs":{"small":{"maximum":3}}})");
    auto const result = validator.validate(parse(R"({"a b":4})"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::invalid);
    ASSERT_EQ(result.error().errors().size(), 1U);
    EXPECT_EQ(result.error().errors().front(),
              (ValidationError{"/a b", "https://example.com/s#/$defs/small/maximum", "maximum",
                               "must be at most 3, got 4"}));
    auto const refused =
        compiled(R"({"properties":{"a b":false}})").validate(parse(R"({"a b":4})"));
    EXPECT_EQ(refused.error().errors().front(),
              (ValidationError{"/a b", "#/properties/a%20b", "", "is not allowed"}));
}

TEST(SchemaErrors, stop_at_the_limit) {
    auto const schema = R"({"items":{"type":"string"}})";
    auto const ten = compiled(schema).validate(parse("[1,2,3,4,5,6,7,8,9,10,11,12]"));
    EXPECT_EQ(ten.error().errors().size(), 10U);
    auto const two = compiled(schema, Options().max_errors(2)).validate(parse("[1,2,3]"));
    EXPECT_EQ(two.error().errors().size(), 2U);
    auto const one = compiled(schema, Options().max_errors(0)).validate(parse("[1,2,3]"));
    EXPECT_EQ(one.error().errors().size(), 1U);
    auto const several =
        compiled(R"({"allOf":[{"maximum":1},{"anyOf":[{"maximum":2,"multipleOf":2}]}]})",
                 Options().max_errors(2))
            .validate(parse("3"));
    EXPECT_EQ(several.error().to_string(), "must be at most 1, got 3\nmust be at most 2, got 3");
    auto const required =
        compiled(R"({"required":["a","b","c"]})", Options().max_errors(2)).validate(parse("{}"));
    EXPECT_EQ(required.error().errors().size(), 2U);
}

TEST(Validator, compares_deeply_by_value) {
    auto const schema = R"({"const":{"a":[1,{"b":null}],"c":"d","e":true}})";
    EXPECT_EQ(verdict(schema, R"({"e":true,"c":"\u0064","a":[1.0,{"b":null}]})"), "valid");
    for (auto const* other :
         {R"({"e":true,"c":"d","a":[1,{"b":0}]})", R"({"e":true,"c":"d","a":[1]})",
          R"({"e":true,"c":"x","a":[1,{"b":null}]})", R"({"e":1,"c":"d","a":[]})",
          R"({"e":true,"c":"d","f":1})", "[]", R"({"e":true,"c":1,"a":{}})",
          R"({"e":false,"c":"d","a":[1,{"b":null}]})"}) {
        EXPECT_NE(verdict(schema, other), "valid") << other;
    }
    EXPECT_EQ(verdict(R"({"enum":[9007199254740993]})", "9007199254740992"),
              "must be 9007199254740993, got 9007199254740992");
}

TEST(Validator, decodes_escaped_keys_and_strings) {
    auto const schema =
        R"({"properties":{"a\nb":{"const":"c\td"}},"patternProperties":{"^x-":{"type":"null"}},
                           "required":["a\nb"],"additionalProperties":false})";
    EXPECT_EQ(verdict(schema, R"({"a\u000ab":"c\u0009d","\u0078-1":null})"), "valid");
    EXPECT_EQ(verdict(schema, R"({"a\nb":"c\td","x-1":1})"), "/x-1: must be null, got 1");
}

TEST(Validator, can_start_at_a_subschema) {
    auto const validator = compiled(
        R"({"$defs":{"Name":{"type":"string"},"Other":{"$id":"http://x/other","type":"null"}}})");
    auto const name = validator.at("#/$defs/Name");
    ASSERT_TRUE(name);
    EXPECT_EQ(verdict(*name, "5"), "must be a string, got 5");
    EXPECT_EQ(verdict(*name, "\"a\""), "valid");
    EXPECT_EQ(verdict(*validator.at("http://x/other#"), "5"), "must be null, got 5");
    EXPECT_EQ(validator.at("#/$defs/Nobody").error().to_string(),
              "#/$defs/Nobody: there is no such subschema");
}

TEST(Validator, outlives_the_schema_and_is_cheap_to_copy) {
    auto validator = [] {
        Json const schema = parse(R"({"enum":["a",["b"]],"pattern":"a"})");
        return Validator::compile(schema).value();
    }();
    auto const copy = validator;
    EXPECT_EQ(&Program::of(copy), &Program::of(validator));
    EXPECT_TRUE(copy.is_valid(parse("[\"b\"]")));
    EXPECT_FALSE(copy.is_valid(parse("\"b\"")));
}

}  // namespace
}  // namespace lanyard::schema
