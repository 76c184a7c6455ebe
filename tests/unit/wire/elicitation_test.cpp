// Forms, their answers, embedded requests and their answers in JSON.
#include <gtest/gtest.h>

#include "lanyard/protocol/methods.hpp"
#include "wire/codec.hpp"

namespace lanyard::wire {
namespace {

constexpr auto v3 = Version::v2025_06_18;
constexpr auto v4 = Version::v2025_11_25;
constexpr auto v5 = Version::v2026_07_28;

std::string written(PrimitiveSchemaDefinition field, Version version) {
    ElicitFormParams const params{.message = "m",
                                  .requested_schema = {.fields = {{.name = "f", .schema = field}}}};
    std::string text;
    json::Writer writer(text);
    auto const done = encode_params(writer, ElicitParams(params), {.version = version});
    if (!done) return done.error().message();
    auto const begin = text.find("\"f\":") + 4;
    return text.substr(begin, text.rfind("}}}") - begin);
}

TEST(FormFields, titled_choices_follow_the_revision) {
    SingleSelectEnumSchema const titled{.options = {{"a", "A"}, {"b"}}};
    EXPECT_EQ(written(titled, v3), R"({"type":"string","enum":["a","b"],"enumNames":["A","b"]})");
    EXPECT_EQ(written(titled, v4),
              R"({"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"b"}]})");
    SingleSelectEnumSchema const plain{.options = {{"a"}, {"b"}}};
    EXPECT_EQ(written(plain, v3), R"({"type":"string","enum":["a","b"]})");
    EXPECT_EQ(written(plain, v4), R"({"type":"string","enum":["a","b"]})");
    SingleSelectEnumSchema const named{.options = {{"a", "A"}, {"b"}}, .enum_names = true};
    EXPECT_EQ(written(named, v3), R"({"type":"string","enum":["a","b"],"enumNames":["A","b"]})");
    EXPECT_EQ(written(named, v4), R"({"type":"string","enum":["a","b"],"enumNames":["A","b"]})");
    SingleSelectEnumSchema const unnamed{.options = {{"a"}, {"b"}}, .enum_names = true};
    EXPECT_EQ(written(unnamed, v4), R"({"type":"string","enum":["a","b"]})");
    MultiSelectEnumSchema const many{.options = {{"a", "A"}}};
    EXPECT_EQ(written(many, v4),
              R"({"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}})");
    MultiSelectEnumSchema const several{.options = {{"a"}}};
    EXPECT_EQ(written(several, v4), R"({"type":"array","items":{"type":"string","enum":["a"]}})");
}

TEST(FormFields, defaults_need_2025_11_25) {
    EXPECT_EQ(written(StringSchema{.default_value = "d"}, v3), R"({"type":"string"})");
    EXPECT_EQ(written(StringSchema{.default_value = "d"}, v4),
              R"({"type":"string","default":"d"})");
    EXPECT_EQ(written(BooleanSchema{.default_value = true}, v3),
              R"({"type":"boolean","default":true})");
    EXPECT_EQ(written(NumberSchema{.integer = true}, v3), R"({"type":"integer"})");
    EXPECT_EQ(written(NumberSchema{}, v3), R"({"type":"number"})");
}

Result<FormSchema, DecodeError> read_form(std::string_view schema, Version version) {
    auto const text = R"({"message":"m","requestedSchema":)" + std::string(schema) + "}";
    json::Document document;
    auto params = decode_params<ElicitParams>(*document.parse(text), version);
    if (!params) return Unexpected(std::move(params).error());
    return std::get<ElicitFormParams>(*std::move(params)).requested_schema;
}

std::string form_error(std::string_view schema, Version version = v4) {
    auto const form = read_form(schema, version);
    return form ? "accepted" : form.error().to_string();
}

std::string field_error(std::string_view field, Version version = v4) {
    return form_error(R"({"type":"object","properties":{"f":)" + std::string(field) + "}}",
                      version);
}

TEST(Rule, EL59_forms_are_flat_objects) {
    EXPECT_EQ(form_error("[]"), "/requestedSchema: must be an object, got an array");
    EXPECT_EQ(form_error("{}"),
              "/requestedSchema: must be a JSON Schema with \"type\": \"object\"");
    EXPECT_EQ(form_error(R"({"type":"array"})"),
              "/requestedSchema: must be a JSON Schema with \"type\": \"object\"");
    EXPECT_EQ(form_error(R"({"type":"object"})"),
              "/requestedSchema: missing required property \"properties\"");
    EXPECT_EQ(form_error(R"({"type":"object","properties":[]})"),
              "/requestedSchema/properties: must be an object, got an array");
    EXPECT_EQ(field_error(R"({"type":"object"})"),
              "/requestedSchema/properties/f/type: must be one of \"string\", \"number\", "
              "\"integer\", \"boolean\", \"array\", got \"object\"");
    EXPECT_EQ(field_error("true"),
              "/requestedSchema/properties/f: must be an object, got a boolean");
}

TEST(Rule, EL59_required_fields_exist) {
    auto const form = read_form(R"({"type":"object","required":["b"],
        "properties":{"z":{"type":"string"},"b":{"type":"boolean"}}})",
                                v3);
    ASSERT_TRUE(form);
    EXPECT_EQ(form->fields[0].name, "z");
    EXPECT_FALSE(form->fields[0].required);
    EXPECT_TRUE(form->fields[1].required);
    EXPECT_EQ(form_error(R"({"type":"object","properties":{},"required":["x"]})"),
              "/requestedSchema/required: names \"x\", which is not a property");
    EXPECT_EQ(form_error(R"({"type":"object","properties":{"a":{"type":"string"}},
                            "required":["aa"]})"),
              "/requestedSchema/required: names \"aa\", which is not a property");
    EXPECT_EQ(form_error(R"({"type":"object","properties":{},"required":"x"})"),
              "/requestedSchema/required: must be an array, got a string");
}

TEST(FormSchemas, dialects_are_read_from_2025_11_25) {
    auto const text = R"({"$schema":"s","type":"object","properties":{}})";
    EXPECT_EQ(read_form(text, v4)->dialect, "s");
    EXPECT_EQ(read_form(text, v3)->dialect, "");
    EXPECT_NE(form_error(R"({"$schema":1,"type":"object","properties":{}})"), "accepted");
}

TEST(Rule, EL59_choices_are_read_in_every_form) {
    auto const options = [](std::string_view field, Version version = v4) {
        auto const form = read_form(
            R"({"type":"object","properties":{"f":)" + std::string(field) + "}}", version);
        EXPECT_TRUE(form) << form.error().to_string();
        auto const& schema = form->fields[0].schema;
        auto const* single = std::get_if<SingleSelectEnumSchema>(&schema);
        return single != nullptr ? single->options
                                 : std::get<MultiSelectEnumSchema>(schema).options;
    };
    std::vector<EnumOption> const plain{{"a"}, {"b"}};
    std::vector<EnumOption> const titled{{"a", "A"}, {"b", "B"}};
    EXPECT_EQ(options(R"({"type":"string","enum":["a","b"]})"), plain);
    EXPECT_EQ(options(R"({"type":"string","enum":["a","b"],"enumNames":["A","B"]})"), titled);
    EXPECT_EQ(options(R"({"enumNames":["A","B"],"enum":["a","b"],"type":"string"})", v3), titled);
    EXPECT_EQ(options(R"({"type":"string","oneOf":[{"const":"a","title":"A"},
                                                  {"const":"b","title":"B"}]})"),
              titled);
    EXPECT_EQ(options(R"({"type":"array","items":{"type":"string","enum":["a","b"]}})"), plain);
    EXPECT_EQ(options(R"({"type":"array","items":{"anyOf":[{"const":"a","title":"A"},
                                                           {"const":"b","title":"B"}]}})"),
              titled);
    EXPECT_EQ(options(R"({"type":"string","enum":["a","b"],"enumNames":["A"]})"),
              (std::vector<EnumOption>{{"a", "A"}, {"b"}}));
}

TEST(FormFields, the_form_with_enum_names_is_kept) {
    auto const text =
        R"({"type":"object","properties":{"f":{"type":"string","enum":["a"],"enumNames":["A"]}}})";
    auto const field = [&](Version version) {
        return std::get<SingleSelectEnumSchema>(read_form(text, version)->fields[0].schema);
    };
    EXPECT_EQ(written(field(v4), v4), R"({"type":"string","enum":["a"],"enumNames":["A"]})");
    EXPECT_EQ(written(field(v3), v4), R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})");
}

TEST(Rule, EL59_bad_choices_are_refused) {
    constexpr auto at = "/requestedSchema/properties/f";
    auto const starts = [&](std::string const& error) { return error.starts_with(at); };
    EXPECT_EQ(field_error(R"({"type":"string","enum":["a"],"enumNames":["A","B"]})"),
              "/requestedSchema/properties/f/enumNames: has more names than values");
    EXPECT_TRUE(starts(field_error(R"({"type":"string","enum":"a"})")));
    EXPECT_TRUE(starts(field_error(R"({"type":"string","enum":["a"],"enumNames":1})")));
    EXPECT_TRUE(starts(field_error(R"({"type":"string","enum":["a"],"title":1})")));
    EXPECT_TRUE(starts(field_error(R"({"type":"string","oneOf":[{"const":"a"}]})")));
    EXPECT_EQ(field_error(R"({"type":"array"})"),
              "/requestedSchema/properties/f: missing required property \"items\"");
    EXPECT_EQ(field_error(R"({"type":"array","items":[]})"),
              "/requestedSchema/properties/f/items: must be an object, got an array");
    EXPECT_EQ(field_error(R"({"type":"array","items":{}})"),
              "/requestedSchema/properties/f/items: must list the choices with \"enum\" or "
              "\"anyOf\"");
    EXPECT_TRUE(starts(field_error(R"({"type":"array","items":{"enum":["a"]},"minItems":"1"})")));
    EXPECT_TRUE(starts(field_error(R"({"type":"string","format":"phone"})")));
}

TEST(Elicitation, later_choices_are_read_in_every_revision) {
    for (auto const version : {Version::v2025_03_26, v3}) {
        EXPECT_EQ(field_error(R"({"type":"array","items":{"enum":["a"]}})", version), "accepted");
        EXPECT_EQ(field_error(R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})", version),
                  "accepted");
    }
}

std::string elicit_error(std::string_view json, Version version) {
    json::Document document;
    auto const params = decode_params<ElicitParams>(*document.parse(json), version);
    return params ? "accepted" : params.error().to_string();
}

TEST(Rule, EL11_a_missing_mode_means_form) {
    json::Document document;
    auto const params = decode_params<ElicitParams>(
        *document.parse(R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})"),
        v4);
    ASSERT_TRUE(params);
    EXPECT_TRUE(std::holds_alternative<ElicitFormParams>(*params));
}

TEST(Rule, EL14_urls_need_their_members) {
    EXPECT_EQ(elicit_error(R"({"mode":"url","message":"m","url":"https://a"})", v4),
              "missing required property \"elicitationId\"");
    EXPECT_EQ(elicit_error(R"({"mode":"url","message":"m","url":"https://a"})", v5), "accepted");
    EXPECT_EQ(elicit_error(R"({"mode":"url","message":"m"})", v5),
              "missing required property \"url\"");
    EXPECT_EQ(elicit_error(R"({"mode":"url","message":"m","url":"https://a","elicitationId":"e"})",
                           Version::v2025_03_26),
              "accepted");
    EXPECT_EQ(elicit_error(R"({"mode":"carrier pigeon"})", v4),
              "/mode: must be one of \"form\", \"url\", got \"carrier pigeon\"");
    EXPECT_EQ(elicit_error("[]", v4), "must be an object, got an array");
}

std::string answer_error(std::string_view content, Version version) {
    json::Document document;
    auto const text = R"({"action":"accept","content":)" + std::string(content) + "}";
    auto const result = decode_result<ElicitResult>(*document.parse(text), version);
    return result ? "accepted" : result.error().to_string();
}

TEST(Rule, EL60_answers_are_primitives) {
    EXPECT_EQ(answer_error(R"({"a":"s","b":1,"c":true})", v3), "accepted");
    EXPECT_EQ(answer_error(R"({"m":["a","b"],"n":[]})", v4), "accepted");
    EXPECT_EQ(answer_error(R"({"m":["a"]})", v3), "accepted");
    EXPECT_NE(answer_error(R"({"m":["a",1]})", v4), "accepted");
    EXPECT_NE(answer_error(R"({"m":{}})", v4), "accepted");
    EXPECT_NE(answer_error(R"({"m":null})", v4), "accepted");
    EXPECT_EQ(answer_error("[]", v4), "/content: must be an object, got an array");
}

TEST(Rule, X06_answers_may_be_fractions) {
    EXPECT_EQ(answer_error(R"({"a":1.5})", v4), "accepted");
}

std::string request_error(std::string_view json) {
    json::Document document;
    auto const text =
        R"({"resultType":"input_required","inputRequests":{"k":)" + std::string(json) + "}}";
    auto const result = decode_result<InputRequiredResult>(*document.parse(text), v5);
    return result ? "accepted" : result.error().to_string();
}

TEST(Rule, M72_only_three_kinds_of_requests_are_embedded) {
    EXPECT_EQ(request_error(R"({"method":"roots/list"})"), "accepted");
    EXPECT_EQ(request_error(R"({"method":"roots/list","params":{}})"), "accepted");
    EXPECT_EQ(request_error(R"({"method":"elicitation/create"})"),
              "/inputRequests/k: missing required property \"params\"");
    EXPECT_EQ(request_error(R"({"method":"sampling/createMessage","params":{"messages":[]}})"),
              "/inputRequests/k/params: missing required property \"maxTokens\"");
    EXPECT_EQ(request_error(R"({"method":"tools/call","params":{}})"),
              "/inputRequests/k/method: must be one of \"elicitation/create\", "
              "\"sampling/createMessage\", \"roots/list\"");
    EXPECT_EQ(request_error("{}"), "/inputRequests/k: missing required property \"method\"");
    EXPECT_EQ(request_error("7"), "/inputRequests/k: must be an object, got an integer");
}

std::string response_error(std::string_view json) {
    json::Document document;
    auto const text = R"({"name":"t","inputResponses":{"k":)" + std::string(json) + "}}";
    auto const params = decode_params<CallToolParams>(*document.parse(text), v5);
    return params ? "accepted" : params.error().to_string();
}

TEST(Rule, M77_answers_are_read_by_their_shape) {
    EXPECT_EQ(response_error(R"({"action":"decline"})"), "accepted");
    EXPECT_EQ(response_error(R"({"roots":[]})"), "accepted");
    EXPECT_EQ(
        response_error(R"({"role":"assistant","content":{"type":"text","text":"x"},"model":"m"})"),
        "accepted");
    EXPECT_EQ(response_error("{}"),
              "/inputResponses/k: must be the result of elicitation/create, "
              "sampling/createMessage or roots/list");
    EXPECT_NE(response_error("7"), "accepted");
    EXPECT_NE(response_error(R"({"action":"shrug"})"), "accepted");
}

}  // namespace
}  // namespace lanyard::wire
