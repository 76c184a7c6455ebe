// Which schemas compile and which do not, and the meaning of references and dialects.
#include "lanyard/schema.hpp"

#include <gtest/gtest.h>

#include "lanyard/json.hpp"

namespace lanyard::schema {
namespace {

Json parse(std::string_view text) {
    return json::parse(text).value();
}

// Returns the error, or "compiles".
std::string outcome(std::string_view schema, Options const& options = {}) {
    auto const result = Validator::compile(parse(schema), options);
    return result ? "compiles" : result.error().to_string();
}

bool accepts(std::string_view schema, std::string_view instance, Options const& options = {}) {
    auto const result = Validator::compile(parse(schema), options);
    if (!result) {
        ADD_FAILURE() << result.error().to_string();
        return false;
    }
    return result->is_valid(parse(instance));
}

constexpr std::string_view draft_07 = R"("$schema":"http://json-schema.org/draft-07/schema#",)";

constexpr std::string_view wrong_type_name =
    R"(must be one of "array", "boolean", "integer", "null", "number", "object", "string", got 5; )"
    R"(or must be an array, got 5)";

TEST(SchemaCompile, checks_the_schema_against_its_meta_schema) {
    EXPECT_EQ(outcome(R"({"properties":{"times":{"minimum":"5"}}})"),
              "#/properties/times/minimum: must be a number, got \"5\"");
    EXPECT_EQ(
        outcome(R"({"type":"strin"})"),
        R"(#/type: must be one of "array", "boolean", "integer", "null", "number", "object", )"
        R"("string", got "strin"; or must be an array, got "strin")");
    EXPECT_EQ(outcome("5"), "#: must be a boolean or an object, got 5");
    EXPECT_EQ(outcome(R"({"items":[{}]})"),
              "#/items: must be a boolean or an object, got an array");
    EXPECT_EQ(outcome("{" + std::string(draft_07) + R"("items":[{}]})"), "compiles");
    EXPECT_EQ(outcome("{" + std::string(draft_07) + R"("minLength":-1})"),
              "#/minLength: must be at least 0, got -1");
    EXPECT_EQ(outcome(R"({"required":["a","a"]})"),
              "#/required: items must be unique, but items 0 and 1 are equal");
    EXPECT_EQ(outcome(R"({"$id":"http://x/y","properties":{"a b":{"allOf":[]}}})"),
              "http://x/y#/properties/a%20b/allOf: must have at least 1 item, has 0");
    EXPECT_EQ(outcome(R"({"multipleOf":0})"), "#/multipleOf: must be more than 0, got 0");
}

TEST(SchemaCompile, refuses_other_dialects_by_name) {
    EXPECT_EQ(outcome(R"({"$schema":"http://json-schema.org/draft-04/schema#"})"),
              "#/$schema: the dialect \"http://json-schema.org/draft-04/schema\" is not supported: "
              "2020-12 and draft-07 are, and any whose meta-schema is registered");
    EXPECT_EQ(outcome(R"({"$defs":{"a":{"$id":"b","$schema":"x:y"}}})"),
              "#/$defs/a/$schema: the dialect \"x:y\" is not supported: "
              "2020-12 and draft-07 are, and any whose meta-schema is registered");
    EXPECT_EQ(outcome(R"({"$schema":"http://json-schema.org/draft/2020-12/schema"})"), "compiles");
    EXPECT_EQ(outcome(R"({"$schema":"https://json-schema.org/draft-07/schema"})"), "compiles");
}

TEST(SchemaCompile, refuses_patterns_that_cannot_run_in_linear_time) {
    EXPECT_TRUE(outcome(R"({"pattern":"(a)\\1"})")
                    .starts_with("#/pattern: the pattern \"(a)\\\\1\" cannot be used: "));
    EXPECT_TRUE(outcome(R"({"patternProperties":{"(":true}})")
                    .starts_with("#/patternProperties: the pattern \"(\" cannot be used: "));
}

TEST(SchemaReferences, that_do_not_resolve_are_named_with_their_place) {
    EXPECT_EQ(outcome(R"({"properties":{"a":{"$ref":"#/$defs/b"}}})"),
              "#/properties/a/$ref: refers to \"#/$defs/b\", which does not exist");
    EXPECT_EQ(
        outcome(R"({"$ref":"http://127.0.0.1:9/s.json"})"),
        "#/$ref: refers to \"http://127.0.0.1:9/s.json\", which is not registered (nothing is "
        "fetched)");
    EXPECT_EQ(outcome(R"({"$dynamicRef":"#a"})"),
              "#/$dynamicRef: refers to \"#a\", which does not exist");
    EXPECT_EQ(outcome(R"({"$defs":{"unused":{"$ref":"#b"}}})"),
              "#/$defs/unused/$ref: refers to \"#b\", which does not exist");
    EXPECT_EQ(outcome(R"({"$ref":"#/%zz"})"), "#/$ref: refers to \"#/%zz\", which does not exist");
    EXPECT_EQ(outcome(R"({"$ref":"#/a~2b","a~2b":{}})"),
              "#/$ref: refers to \"#/a~2b\", which does not exist");
    EXPECT_EQ(outcome(R"({"$ref":"#/type/a","type":"string"})"),
              "#/$ref: refers to \"#/type/a\", which does not exist");
}

TEST(SchemaReferences, follow_pointers_through_arrays) {
    auto const schema = [](std::string_view index) {
        return R"({"properties":{"a":{"$ref":"#/allOf/)" + std::string(index) +
               R"("}},"allOf":[{},{"type":["object","null"]}]})";
    };
    EXPECT_TRUE(accepts(schema("1"), R"({"a":null})"));
    EXPECT_FALSE(accepts(schema("1"), R"({"a":1})"));
    for (auto const* index : {"2", "01", "x", "1x", "-1", ""}) {
        EXPECT_TRUE(outcome(schema(index)).ends_with("which does not exist")) << index;
    }
}

TEST(SchemaReferences, into_unknown_keywords_compile_their_target) {
    EXPECT_FALSE(accepts(R"({"$ref":"#/x-types/0/id","x-types":[{"id":{"type":"null"}}]})", "1"));
    EXPECT_EQ(outcome(R"({"$ref":"#/x-types/a","x-types":{"a":{"type":5}}})"),
              "#/x-types/a/type: " + std::string(wrong_type_name));
    EXPECT_EQ(outcome(R"({"$ref":"#/x-types","x-types":[]})"),
              "#/x-types: must be a boolean or an object, got an array");
    EXPECT_EQ(
        outcome(R"({"$ref":"#/x-types","x-types":{"$id":"a","$schema":"q:r"}})"),
        "#/x-types/$schema: the dialect \"q:r\" is not supported: 2020-12 and draft-07 are, and "
        "any whose meta-schema is registered");
}

TEST(SchemaReferences, reach_registered_documents_under_both_names) {
    auto const options = Options()
                             .document("lib.json", parse(R"({"$id":"http://x/lib","$defs":{"s":
                                       {"$anchor":"str","type":"string"}}})"))
                             .document("http://x/plain#", parse(R"({"type":"null"})"));
    for (auto const* ref : {"lib.json#/$defs/s", "http://x/lib#/$defs/s", "http://x/lib#str"}) {
        auto const schema = R"({"$ref":")" + std::string(ref) + "\"}";
        EXPECT_TRUE(accepts(schema, "\"a\"", options)) << ref;
        EXPECT_FALSE(accepts(schema, "1", options)) << ref;
    }
    EXPECT_FALSE(accepts(R"({"allOf":[{"$ref":"lib.json#str"},{"$ref":"http://x/lib#str"}]})", "1",
                         options));
    EXPECT_FALSE(accepts(R"({"$ref":"http://x/plain"})", "1", options));
    EXPECT_EQ(outcome(R"({"$ref":"bad.json"})",
                      Options().document("bad.json", parse(R"({"minimum":"a"})"))),
              "bad.json#/minimum: must be a number, got \"a\"");
    EXPECT_EQ(outcome(R"({"$ref":"bad.json#/a"})", Options().document("bad.json", parse("[1]"))),
              "bad.json#: must be a boolean or an object, got an array");
}

TEST(SchemaReferences, stop_at_the_first_error) {
    auto const options = Options().document("bad.json", parse(R"({"$defs":{
        "a":{"$id":"http://q","$defs":{"b":{"$id":"http://q","type":"null"}}}}})"));
    EXPECT_EQ(outcome(R"({"$ref":"bad.json","$dynamicRef":"http://q#/$defs/b"})", options),
              "http://q#/$defs/b/$id: two different schemas have the URI \"http://q\"");
}

TEST(SchemaReferences, keep_their_meaning_through_chains) {
    std::string defs;
    for (int i = 0; i < 30; ++i) {
        defs +=
            "\"d" + std::to_string(i) + R"(":{"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"},";
    }
    auto const schema = R"({"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{)" + defs +
                        R"("d30":{"type":"string"}}})";
    EXPECT_TRUE(accepts(schema, R"({"a":"b"})"));
    EXPECT_FALSE(accepts(schema, R"({"a":1})"));
    // A reference in every keyword that may hold one.
    auto const everywhere = R"({"$defs":{"n":{"$ref":"#/$defs/m"},"m":{"type":"null"}},
        "properties":{"p":{"$ref":"#/$defs/n"},"l":{"prefixItems":[{"$ref":"#/$defs/n"}],
            "items":{"$ref":"#/$defs/n"},"contains":{"$ref":"#/$defs/n"},
            "unevaluatedItems":{"$ref":"#/$defs/n"}},
            "c":{"if":{"$ref":"#/$defs/n"},"then":true,"else":{"not":{"$ref":"#/$defs/n"}}},
            "o":{"oneOf":[{"$ref":"#/$defs/n"},{"type":"string"}]}},
        "patternProperties":{"^x":{"$ref":"#/$defs/n"}},
        "dependentSchemas":{"p":{"$ref":"#/$defs/any"}},
        "unevaluatedProperties":{"$ref":"#/$defs/n"}})";
    std::string with_any(everywhere);
    with_any.replace(with_any.find("\"n\":"), 4,
                     R"("any":{"$ref":"#/$defs/any2"},"any2":true,"n":)");
    EXPECT_TRUE(accepts(with_any, R"({"p":null,"l":[null,null],"c":1,"o":"a","x":null,"z":null})"));
    for (auto const* bad : {R"({"p":1})", R"({"l":[1]})", R"({"l":[null,1]})", R"({"l":[]})",
                            R"({"o":1})", R"({"x":1})", R"({"z":1})"}) {
        EXPECT_FALSE(accepts(with_any, bad)) << bad;
    }
}

TEST(SchemaReferences, that_do_not_descend_into_the_instance_are_refused) {
    constexpr std::string_view never_ends =
        "the schema refers to itself without going deeper into the instance, so validation would "
        "never end";
    for (auto const* schema :
         {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})", R"({"anyOf":[{},{"$ref":"#"}]})",
          R"({"oneOf":[{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})",
          R"({"if":true,"then":{"$ref":"#"}})", R"({"if":true,"else":{"$ref":"#"}})",
          R"({"dependentSchemas":{"a":{"$ref":"#"}}})",
          R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})"}) {
        EXPECT_TRUE(outcome(schema).ends_with(never_ends)) << schema << outcome(schema);
    }
    EXPECT_EQ(outcome(R"({"properties":{"a":{"$ref":"#"}},"items":{"$ref":"#"},"$defs":
                          {"x":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}})"),
              "compiles");
}

TEST(SchemaIdentifiers, must_be_unique) {
    EXPECT_EQ(outcome(R"({"$defs":{"a":{"$anchor":"x"},"b":{"$dynamicAnchor":"x"}}})"),
              "#/$defs/b/$dynamicAnchor: the anchor \"x\" is used twice in one resource");
    EXPECT_EQ(outcome(R"({"$defs":{"a":{"$anchor":"x","$dynamicAnchor":"x"}}})"), "compiles");
    EXPECT_EQ(outcome(R"({"$defs":{"a":{"$id":"http://x"},"b":{"$id":"http://x","type":"null"}}})"),
              "#/$defs/b/$id: two different schemas have the URI \"http://x\"");
    EXPECT_EQ(outcome(R"({"$defs":{"a":{"$id":"http://x"},"b":{"$id":"http://x"}}})"), "compiles");
    EXPECT_EQ(outcome(R"({"$defs":{"a":{"$id":"http://)" + std::string(3000, 'x') + R"("}}})"),
              "#/$defs/a/$id: the URI is longer than 2048 bytes");
    EXPECT_EQ(outcome(R"({"$ref":"http://)" + std::string(3000, 'x') + R"("})"),
              "#/$ref: the URI is longer than 2048 bytes");
}

TEST(SchemaDialects, are_chosen_per_resource) {
    auto const schema = R"({"$id":"http://x/root","prefixItems":[{"$ref":"old"}],
        "$defs":{"old":{"$id":"old",)" +
                        std::string(draft_07) +
                        R"("items":[{"type":"string"}],"additionalItems":false,
            "definitions":{"new":{"$id":"new",
                "$schema":"https://json-schema.org/draft/2020-12/schema",
                "prefixItems":[{"type":"null"}]}}}}})";
    EXPECT_TRUE(accepts(schema, R"([["a"]])"));
    EXPECT_FALSE(accepts(schema, R"([["a","b"]])"));
    EXPECT_FALSE(accepts(schema, "[[1]]"));
    EXPECT_EQ(outcome(R"({"enum":[[1]],"$defs":{"old":{"$id":"old",)" + std::string(draft_07) +
                      R"("items":[{"type":5}]}}})"),
              "old#/items/0/type: " + std::string(wrong_type_name));
}

TEST(SchemaDialects, default_to_the_dialect_of_the_options) {
    auto const schema = R"({"items":[{"type":"string"}]})";
    EXPECT_NE(outcome(schema), "compiles");
    EXPECT_TRUE(accepts(schema, R"(["a",1])", Options().default_draft(Draft::draft_07)));
}

TEST(Draft07, ignores_keywords_next_to_a_reference) {
    auto const schema =
        "{" + std::string(draft_07) +
        R"("properties":{"a":{"$ref":"#/definitions/s","maxLength":1,"$id":"http://y/z"}},
                            "definitions":{"s":{"type":"string"}}})";
    EXPECT_TRUE(accepts(schema, R"({"a":"long"})"));
    EXPECT_FALSE(accepts(schema, R"({"a":1})"));
    auto const root = "{" + std::string(draft_07) +
                      R"("$ref":"#/definitions/s","type":"null",
            "definitions":{"s":{"$id":"#here","type":"string"}}})";
    EXPECT_TRUE(accepts(root, "\"a\""));
    EXPECT_FALSE(accepts(root, "null"));
}

TEST(Draft07, uses_fragments_of_ids_as_anchors) {
    auto const schema =
        "{" + std::string(draft_07) +
        R"("$id":"http://x/y","properties":{"a":{"$ref":"#foo"},"b":{"$ref":"z#bar"}},
                            "definitions":{"f":{"$id":"#foo","type":"null"},
                                "g":{"$id":"z#bar","type":"string"}}})";
    EXPECT_TRUE(accepts(schema, R"({"a":null,"b":"c"})"));
    EXPECT_FALSE(accepts(schema, R"({"a":1})"));
    EXPECT_FALSE(accepts(schema, R"({"b":1})"));
}

TEST(Draft07, has_additional_items_and_no_later_keywords) {
    auto const schema =
        "{" + std::string(draft_07) +
        R"("items":[{}],"additionalItems":false,"prefixItems":[false],"unevaluatedItems":false,
                           "dependentRequired":{"a":["b"]}})";
    EXPECT_TRUE(accepts(schema, "[1]"));
    EXPECT_FALSE(accepts(schema, "[1,2]"));
    EXPECT_TRUE(accepts(schema, R"({"a":1})"));
    auto const result = Validator::compile(parse(schema))->validate(parse("[1,2]"));
    EXPECT_EQ(result.error().errors().front().schema, "#/additionalItems");
    EXPECT_TRUE(
        accepts("{" + std::string(draft_07) + R"("additionalItems":false,"items":{}})", "[1,2]"));
}

constexpr std::string_view loose_meta = R"({"$id":"http://x/meta",
    "$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{
    "https://json-schema.org/draft/2020-12/vocab/core":true,
    "https://json-schema.org/draft/2020-12/vocab/applicator":true,
    "https://json-schema.org/draft/2020-12/vocab/unevaluated":true,
    "https://json-schema.org/draft/2020-12/vocab/validation":true,
    "https://json-schema.org/draft/2020-12/vocab/meta-data":true,
    "https://json-schema.org/draft/2020-12/vocab/content":false,
    "https://json-schema.org/draft/2020-12/vocab/format-annotation":true,
    "http://x/vocabulary":false}})";

TEST(SchemaDialects, custom_dialects_choose_their_vocabularies) {
    auto const options = Options().document("http://x/meta", parse(loose_meta));
    EXPECT_TRUE(accepts(R"({"$schema":"http://x/meta","format":"ipv4"})", "\"x\"", options));
    EXPECT_FALSE(accepts(R"({"$schema":"http://x/meta","minimum":2})", "1", options));
    auto const meta = [](std::string_view rest) {
        return Options().document("http://x/meta",
                                  parse(R"({"$id":"http://x/meta",)" + std::string(rest)));
    };
    auto const user =
        R"({"$schema":"http://x/meta","minimum":2,
            "properties":{"a":{"$id":"b","$schema":"http://x/meta"}}})";
    EXPECT_TRUE(accepts(user, "1", meta(R"("$vocabulary":{}})")));
    EXPECT_FALSE(accepts(user, "1", meta(R"("$vocabulary":5})").default_draft(Draft::draft_07)));
    EXPECT_EQ(outcome(user, meta(R"("$vocabulary":{"http://x/new":true}})")),
              "#/$schema: the meta-schema \"http://x/meta\" needs the unknown vocabulary "
              "\"http://x/new\"");
    EXPECT_EQ(
        outcome(user,
                meta(R"("$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/new":true}})")),
        "#/$schema: the meta-schema \"http://x/meta\" needs the unknown vocabulary "
        "\"https://json-schema.org/draft/2020-12/vocab/new\"");
    EXPECT_EQ(
        outcome(user, meta(R"("$schema":"http://x/meta"})")),
        "#/$schema: the meta-schema \"http://x/meta\" is itself written in \"http://x/meta\"; it "
        "must be in 2020-12 or draft-07");
    EXPECT_EQ(outcome(user, meta(R"("minimum":"a"})")),
              "http://x/meta#/minimum: must be a number, got \"a\"");
    EXPECT_EQ(outcome(user, meta(R"("required":["title"]})")),
              "#: missing required property \"title\"");
    EXPECT_TRUE(outcome(user, Options().document("http://x/meta", parse("true")))
                    .starts_with("#/$schema: the dialect \"http://x/meta\" is not supported"));
}

TEST(SchemaDialects, custom_dialects_cannot_allow_malformed_keywords) {
    auto const options = Options().document("http://x/meta", parse(loose_meta));
    std::pair<char const*, char const*> const cases[] = {
        {R"("minimum":"a")", "#/minimum: must be a number, got \"a\""},
        {R"("multipleOf":-1)", "#/multipleOf: must be more than 0, got -1"},
        {R"("minLength":-1)", "#/minLength: must be a non-negative integer, got -1"},
        {R"("minLength":1.5)", "#/minLength: must be a non-negative integer, got 1.5"},
        {R"("minItems":"1")", "#/minItems: must be a non-negative integer, got \"1\""},
        {R"("pattern":1)", "#/pattern: must be a string, got 1"},
        {R"("format":1)", "#/format: must be a string, got 1"},
        {R"("$ref":1)", "#/$ref: must be a string, got 1"},
        {R"("$dynamicRef":{})", "#/$dynamicRef: must be a string, got an object"},
        {R"("type":"text")", "#/type: must be the name of a type, got \"text\""},
        {R"("type":[1])", "#/type: must be the name of a type, got 1"},
        {R"("enum":1)", "#/enum: must be an array, got 1"},
        {R"("allOf":{})", "#/allOf: must be an array, got an object"},
        {R"("anyOf":[5])", "#/anyOf/0: a schema must be an object or a boolean, got 5"},
        {R"("items":[true])", "#/items: must be a schema, got an array"},
        {R"("not":[])", "#/not: a schema must be an object or a boolean, got an array"},
        {R"("properties":[])", "#/properties: must be an object, got an array"},
        {R"("required":"a")", "#/required: must be an array of strings, got \"a\""},
        {R"("required":["b",1])", "#/required: must be an array of strings, got 1"},
        {R"("dependentRequired":{"a":1})",
         "#/dependentRequired: must be an array of strings, got 1"},
        {R"("uniqueItems":"yes")", "#/uniqueItems: must be a boolean, got \"yes\""},
        {R"("$id":5,"$anchor":5,"$dynamicAnchor":5)", "compiles"},
        {R"("anyOf":[])", "compiles"},
    };
    for (auto const& [members, wanted] : cases) {
        EXPECT_EQ(outcome(R"({"$schema":"http://x/meta",)" + std::string(members) + "}", options),
                  wanted);
    }
}

TEST(DynamicRef, finds_the_outermost_anchor) {
    auto const schema =
        R"({"$id":"http://x/strict","$dynamicAnchor":"node","$ref":"tree",
        "unevaluatedProperties":false,
        "$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object",
            "properties":{"kids":{"items":{"$dynamicRef":"#node"}}}}}})";
    EXPECT_TRUE(accepts(schema, R"({"kids":[{"kids":[]}]})"));
    EXPECT_FALSE(accepts(schema, R"({"kids":[{"kisd":[]}]})"));
}

TEST(DynamicRef, compiles_targets_that_nothing_else_refers_to) {
    auto const options = Options().document("http://x/tree", parse(R"({"$id":"http://x/tree",
        "$dynamicAnchor":"node","properties":{"kid":{"$dynamicRef":"#node"}}})"));
    auto const schema =
        R"({"$id":"http://x/root","$ref":"tree","$defs":{"d":{"$dynamicAnchor":"node",
        "required":["kid"]}}})";
    EXPECT_TRUE(accepts(schema, R"({"kid":{"kid":1}})", options));
    EXPECT_FALSE(accepts(schema, R"({"kid":{}})", options));
}

}  // namespace
}  // namespace lanyard::schema
