// Limits on the cost of a hostile schema or instance.
#include <gtest/gtest.h>

#include "lanyard/json.hpp"
#include "lanyard/schema.hpp"
#include "schema/program.hpp"
#include "schema/run.hpp"

namespace lanyard::schema {
namespace {

Json parse(std::string_view text) {
    json::ParseOptions options;
    options.max_depth = 1'000;
    return json::parse(text, options).value();
}

Validator compiled(std::string const& schema, Options const& options = {}) {
    auto result = Validator::compile(parse(schema), options);
    if (!result) ADD_FAILURE() << result.error().to_string();
    return std::move(result).value();
}

std::string outcome(std::string const& schema, Options const& options = {}) {
    auto const result = Validator::compile(parse(schema), options);
    return result ? "compiles" : result.error().to_string();
}

std::string repeated(std::size_t count, auto&& item) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out += ',';
        out += item(i);
    }
    return out;
}

std::string nested(std::size_t levels, std::string const& before, std::string const& inner,
                   std::string const& after) {
    std::string out;
    for (std::size_t i = 0; i < levels; ++i) out += before;
    out += inner;
    for (std::size_t i = 0; i < levels; ++i) out += after;
    return out;
}

// A tree of references with 2^30 leaves.
std::string exponential(std::string const& leaf) {
    std::string defs;
    for (int i = 0; i < 30; ++i) {
        auto const next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
        defs += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]},";
    }
    return R"({"$ref":"#/$defs/d0","$defs":{)" + defs + "\"d30\":" + leaf + "}}";
}

TEST(SchemaBudget, an_exponential_schema_ends_undecided) {
    auto const validator = compiled(exponential("true"));
    auto const result = validator.validate(Json(1));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::too_many_steps);
    EXPECT_EQ(result.error().to_string(), "validation takes more than 1000000 steps");
    EXPECT_FALSE(validator.is_valid(Json(1)));
    json::Document document;
    auto const view = document.parse("1").value();
    EXPECT_EQ(validator.validate(view).error().to_string(), result.error().to_string());
    // If the first leaf decides, the others are not evaluated.
    EXPECT_EQ(compiled(exponential("false")).validate(Json(1)).error().to_string(),
              "is not allowed");
}

TEST(SchemaBudget, running_out_of_steps_is_never_valid) {
    for (auto const* schema :
         {R"({"not":{"items":{"type":"null"}}})", R"({"items":{"not":{"minimum":1}}})",
          R"({"if":{"items":{"type":"null"}},"else":true})", R"({"uniqueItems":true})",
          R"({"contains":{"minimum":1000}})", R"({"unevaluatedItems":true})",
          R"({"anyOf":[{"items":{"minimum":1}},true]})", R"({"enum":[[1,2,3]]})",
          R"({"unevaluatedItems":true,"anyOf":[{"items":true}]})"}) {
        auto const instance =
            parse("[" + repeated(100, [](std::size_t i) { return std::to_string(i); }) + "]");
        auto const full = compiled(schema);
        auto const steps = decide(Program::of(full), 0, JsonInstance(instance)).steps;
        for (std::uint64_t limit = 0; limit < steps; ++limit) {
            auto const result = compiled(schema, Options().max_steps(limit)).validate(instance);
            ASSERT_FALSE(result) << schema << limit;
            EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::too_many_steps);
        }
        auto const enough = compiled(schema, Options().max_steps(steps)).validate(instance);
        EXPECT_TRUE(enough || enough.error().reason() == ValidationFailure::Reason::invalid);
    }
}

TEST(SchemaBudget, covers_strings_and_objects) {
    std::string const text = "\"" + std::string(10'000, 'a') + "\"";
    for (auto const* schema : {R"({"pattern":"^a*$"})", R"({"minLength":3000})", R"({"const":"a"})",
                               R"({"format":"uuid"})"}) {
        auto const result =
            compiled(schema, Options().max_steps(100).assert_formats()).validate(parse(text));
        ASSERT_FALSE(result) << schema;
        EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::too_many_steps) << schema;
    }
    auto const object =
        "{" + repeated(100, [](std::size_t i) { return "\"k" + std::to_string(i) + "\":[]"; }) +
        "}";
    for (auto const* schema :
         {R"({"additionalProperties":true})", R"({"patternProperties":{"9$":{"type":"array"}}})",
          R"({"propertyNames":{"minLength":1}})", R"({"unevaluatedProperties":true})",
          R"({"const":{"a":1}})", R"({"anyOf":[{"unevaluatedProperties":true}]})"}) {
        auto const full = compiled(schema);
        auto const instance = parse(object);
        auto const steps = decide(Program::of(full), 0, JsonInstance(instance)).steps;
        for (std::uint64_t limit = 0; limit < steps; ++limit) {
            auto const result = compiled(schema, Options().max_steps(limit)).validate(instance);
            ASSERT_FALSE(result) << schema << limit;
            EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::too_many_steps);
        }
    }
}

TEST(Hardening, S28_a_pattern_made_to_be_slow_ends_by_the_budget) {
    auto const slow = Validator::compile(Json{{"pattern", "[ab]*a[ab]{900}c"}}).value();
    std::string text;
    for (int i = 0; i < 256 * 1024; ++i) text += i % 3 == 0 ? 'a' : 'b';
    auto const verdict = slow.validate(Json(text));
    ASSERT_FALSE(verdict);
    EXPECT_EQ(verdict.error().reason(), ValidationFailure::Reason::too_many_steps);
    auto const usual = Validator::compile(Json{{"pattern", "^[a-z]+$"}}).value();
    EXPECT_TRUE(usual.is_valid(Json(text)));
}

TEST(Hardening, S28_the_patterns_of_a_schema_are_limited_together) {
    JsonObject properties;
    for (int i = 0; i < 400; ++i) {
        properties["p" + std::to_string(i)] = Json{{"pattern", "[ab]{999}|[cd]{999}|[ef]{999}"}};
    }
    auto const refused = Validator::compile(Json{{"properties", properties}});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("too large together"), std::string::npos)
        << refused.error().to_string();
}

TEST(SchemaBudget, an_invalid_value_stays_invalid_if_its_explanation_exceeds_the_budget) {
    auto const result = compiled(R"({"minimum":1})", Options().max_steps(8)).validate(parse("0"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::invalid);
    EXPECT_EQ(result.error().to_string(), "does not match the schema");
    json::Document document;
    auto const view = document.parse("0").value();
    EXPECT_EQ(
        compiled(R"({"minimum":1})", Options().max_steps(8)).validate(view).error().to_string(),
        "does not match the schema");
}

TEST(SchemaBudget, recursion_is_bounded) {
    auto const list = R"({"items":{"$ref":"#"},"uniqueItems":true})";
    auto const deep = parse(nested(200, "[", "", "]"));
    EXPECT_TRUE(compiled(list).is_valid(deep));
    auto const result = compiled(list, Options().max_recursion(150)).validate(deep);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::too_deep);
    EXPECT_EQ(result.error().to_string(), "validation is nested more than 150 levels deep");
    json::Document document;
    auto const text = nested(64, "[", "", "]");
    auto const view = document.parse(text).value();
    EXPECT_EQ(compiled(list, Options().max_recursion(50)).validate(view).error().reason(),
              ValidationFailure::Reason::too_deep);
    auto const unique = compiled(R"({"uniqueItems":true})", Options().max_recursion(150));
    EXPECT_EQ(unique.validate(deep).error().reason(), ValidationFailure::Reason::too_deep);
}

TEST(SchemaBudget, a_circular_dynamic_reference_is_stopped) {
    auto const schema = R"({"$id":"http://x/a","$dynamicAnchor":"n","$ref":"b",
        "$defs":{"b":{"$id":"b","$dynamicAnchor":"n","anyOf":[{"$dynamicRef":"#n"}]}}})";
    auto const result = compiled(schema).validate(Json(1));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason(), ValidationFailure::Reason::too_deep);
}

TEST(SchemaBudget, schemas_are_bounded_in_depth_and_number) {
    EXPECT_EQ(outcome(nested(31, R"({"not":{"items":)", "true", "}}")), "compiles");
    EXPECT_EQ(outcome(nested(33, R"({"not":{"items":)", "true", "}}")),
              "#: the schema is nested more than 64 levels deep");
    EXPECT_EQ(outcome(R"({"const":)" + nested(64, "[", "", "]") + "}"),
              "#: the schema is nested more than 64 levels deep");
    EXPECT_EQ(outcome(R"({"x":)" + nested(10, R"({"a":)", "1", "}") + "}", Options().max_depth(5)),
              "#: the schema is nested more than 5 levels deep");
    auto const wide = [](std::size_t count) {
        return R"({"anyOf":[)" + repeated(count, [](std::size_t) { return "true"; }) + "]}";
    };
    EXPECT_EQ(outcome(wide(9'999)), "compiles");
    EXPECT_EQ(outcome(wide(10'000)), "#/anyOf/9999: the schema has more than 10000 subschemas");
    EXPECT_EQ(outcome(wide(3), Options().max_subschemas(2)),
              "#/anyOf/1: the schema has more than 2 subschemas");
    EXPECT_EQ(
        outcome(R"({"$ref":"deep.json"})",
                Options().document("deep.json", parse(nested(70, R"({"not":)", "true", "}")))),
        "deep.json#: the schema is nested more than 64 levels deep");
}

TEST(SchemaBudget, applies_to_custom_meta_schemas) {
    auto meta = parse(exponential("true"));
    auto const options = Options().document("http://x/meta", meta);
    EXPECT_EQ(outcome(R"({"$schema":"http://x/meta"})", options),
              "#: validation takes more than 1000000 steps");
}

// ---- twice the input, at most 2.3 times the work

using Make = std::string (*)(std::size_t);

void expect_linear(std::string const& name, auto&& steps) {
    for (std::size_t size = 200; size <= 800; size *= 2) {
        auto const once = static_cast<double>(steps(size));
        auto const twice = static_cast<double>(steps(2 * size));
        EXPECT_LE(twice, 2.3 * once) << name << " at " << size;
    }
}

std::string numbers(std::size_t count) {
    return "[" + repeated(count, [](std::size_t i) { return std::to_string(i); }) + "]";
}
std::string objects(std::size_t count) {
    return "[" +
           repeated(count, [](std::size_t i) { return "{\"a\":" + std::to_string(i) + "}"; }) + "]";
}
std::string members(std::size_t count) {
    return "{" +
           repeated(count,
                    [](std::size_t i) {
                        return "\"k" + std::to_string(i) + "\":" + std::to_string(i);
                    }) +
           "}";
}
std::string text(std::size_t count) {
    return "\"" + std::string(count * 16, 'a') + "\"";
}
std::string escapes(std::size_t count) {
    return "\"" + nested(count, "\\n\\u00e9", "", "") + "\"";
}

TEST(SchemaGrowth, is_linear_in_the_instance) {
    struct Case {
        char const* schema;
        Make make;
    };
    constexpr Case cases[] = {
        {R"({"items":{"type":"integer","minimum":0}})", numbers},
        {R"({"uniqueItems":true})", numbers},
        {R"({"uniqueItems":true})", objects},
        {R"({"contains":{"minimum":1},"minContains":2,"maxContains":1000000})", numbers},
        {R"({"anyOf":[{"items":{"maximum":5}},{"contains":{"const":-1}},
            {"items":{"type":"integer"}}]})",
         numbers},
        {R"({"unevaluatedItems":{"type":"integer"},"anyOf":[{"prefixItems":[true]}]})", numbers},
        {R"({"const":[1,2,3]})", numbers},
        {R"({"additionalProperties":{"type":"integer"},"propertyNames":{"pattern":"^k"}})",
         members},
        {R"({"unevaluatedProperties":{"type":"integer"},"oneOf":[{"properties":{"k1":true}}]})",
         members},
        {R"({"patternProperties":{"^k1":{"minimum":0},"9$":{"type":"integer"}}})", members},
        {R"({"required":["k0"],"dependentRequired":{"k1":["k2"]}})", members},
        {R"({"pattern":"^(a|b)*$"})", text},
        {R"({"pattern":"^(a+)+$"})", text},
        {R"({"maxLength":10000000,"minLength":10})", text},
        {R"({"minLength":10,"pattern":"."})", escapes},
    };
    for (auto const& [schema, make] : cases) {
        auto const validator = compiled(schema);
        expect_linear(schema, [&](std::size_t size) {
            auto const content = make(size);
            json::Document document;
            auto const outcome =
                decide(Program::of(validator), 0, ViewInstance(document.parse(content).value()));
            EXPECT_NE(outcome.validity, Validity::too_many_steps);
            return outcome.steps;
        });
    }
}

TEST(SchemaGrowth, is_linear_in_the_schema) {
    Make const cases[] = {
        [](std::size_t n) {
            return R"({"properties":{)" +
                   repeated(n,
                            [](std::size_t i) {
                                return "\"k" + std::to_string(i) +
                                       R"(":{"type":"integer","minimum":1})";
                            }) +
                   "}}";
        },
        [](std::size_t n) {
            return R"({"enum":[)" +
                   repeated(n, [](std::size_t i) { return "[" + std::to_string(i) + "]"; }) + "]}";
        },
        [](std::size_t n) {
            return R"({"required":[)" +
                   repeated(n, [](std::size_t i) { return "\"k" + std::to_string(i) + "\""; }) +
                   "]}";
        },
        [](std::size_t n) {
            return R"({"anyOf":[)" +
                   repeated(n,
                            [](std::size_t i) {
                                return R"({"minimum":)" + std::to_string(i + 1) + "}";
                            }) +
                   "]}";
        },
        [](std::size_t n) {
            return R"({"$defs":{"d0":true,)" +
                   repeated(n,
                            [](std::size_t i) {
                                return "\"d" + std::to_string(i + 1) + R"(":{"$ref":"#/$defs/d)" +
                                       std::to_string(i) + "\"}";
                            }) +
                   "}}";
        },
        [](std::size_t n) {
            return R"({"$id":"http://x/","$defs":{)" +
                   repeated(n,
                            [](std::size_t i) {
                                return "\"d" + std::to_string(i) + R"(":{"$id":"i)" +
                                       std::to_string(i) +
                                       R"(","$dynamicAnchor":"a","items":{"$dynamicRef":"#a"}})";
                            }) +
                   "}}";
        },
        [](std::size_t n) {
            return R"({"patternProperties":{)" +
                   repeated(n,
                            [](std::size_t i) {
                                return "\"^k" + std::to_string(i) + R"(":{"type":"null"})";
                            }) +
                   "}}";
        },
        [](std::size_t n) {
            return R"({"dependentRequired":{)" +
                   repeated(
                       n,
                       [](std::size_t i) { return "\"k" + std::to_string(i) + R"(":["a","b"])"; }) +
                   "}}";
        },
    };
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        expect_linear("compiling " + std::to_string(i), [&](std::size_t size) {
            return Program::of(compiled(cases[i](size))).compile_steps;
        });
        expect_linear("running " + std::to_string(i), [&](std::size_t size) {
            auto const validator = compiled(cases[i](size));
            return decide(Program::of(validator), 0, JsonInstance(parse(R"({"k1":1,"a":2})")))
                       .steps +
                   1;
        });
    }
}

}  // namespace
}  // namespace lanyard::schema
