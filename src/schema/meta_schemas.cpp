// The meta-schemas of https://json-schema.org, in compact form and without their comments.
// Copyright (c) 2022 JSON Schema Specification Authors; licensed under BSD 3-Clause or AFL 3.0.
#include "schema/meta_schemas.hpp"

#include <map>

namespace lanyard::schema {
namespace {

struct Text {
    std::string_view uri;
    std::string_view json;
};

constexpr Text texts[] = {
    {"https://json-schema.org/draft/2020-12/schema",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true,)"
     R"("https://json-schema.org/draft/2020-12/vocab/applicator":true,)"
     R"("https://json-schema.org/draft/2020-12/vocab/unevaluated":true,)"
     R"("https://json-schema.org/draft/2020-12/vocab/validation":true,)"
     R"("https://json-schema.org/draft/2020-12/vocab/meta-data":true,)"
     R"("https://json-schema.org/draft/2020-12/vocab/format-annotation":true,)"
     R"("https://json-schema.org/draft/2020-12/vocab/content":true},"$dynamicAnchor":"meta",)"
     R"("title":"Core and Validation specifications meta-schema",)"
     R"("allOf":[{"$ref":"meta/core"},{"$ref":"meta/applicator"},)"
     R"({"$ref":"meta/unevaluated"},{"$ref":"meta/validation"},{"$ref":"meta/meta-data"},)"
     R"({"$ref":"meta/format-annotation"},{"$ref":"meta/content"}],"type":["object",)"
     R"("boolean"],)"
     R"("properties":{"definitions":{"type":"object",)"
     R"("additionalProperties":{"$dynamicRef":"#meta"},"deprecated":true,)"
     R"("default":{}},"dependencies":{"type":"object",)"
     R"("additionalProperties":{"anyOf":[{"$dynamicRef":"#meta"},)"
     R"({"$ref":"meta/validation#/$defs/stringArray"}]},"deprecated":true,"default":{}},)"
     R"("$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString","deprecated":true},)"
     R"("$recursiveRef":{"$ref":"meta/core#/$defs/uriReferenceString","deprecated":true}}})"},
    {"https://json-schema.org/draft/2020-12/meta/core",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/core","$dynamicAnchor":"meta",)"
     R"("title":"Core vocabulary meta-schema","type":["object","boolean"],)"
     R"("properties":{"$id":{"$ref":"#/$defs/uriReferenceString","pattern":"^[^#]*#?$"},)"
     R"("$schema":{"$ref":"#/$defs/uriString"},"$ref":{"$ref":"#/$defs/uriReferenceString"},)"
     R"("$anchor":{"$ref":"#/$defs/anchorString"},)"
     R"("$dynamicRef":{"$ref":"#/$defs/uriReferenceString"},)"
     R"("$dynamicAnchor":{"$ref":"#/$defs/anchorString"},"$vocabulary":{"type":"object",)"
     R"("propertyNames":{"$ref":"#/$defs/uriString"},)"
     R"("additionalProperties":{"type":"boolean"}},"$comment":{"type":"string"},)"
     R"("$defs":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}},)"
     R"("$defs":{"anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},)"
     R"("uriString":{"type":"string","format":"uri"},"uriReferenceString":{"type":"string",)"
     R"("format":"uri-reference"}}})"},
    {"https://json-schema.org/draft/2020-12/meta/applicator",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/applicator",)"
     R"("$dynamicAnchor":"meta","title":"Applicator vocabulary meta-schema",)"
     R"("type":["object","boolean"],)"
     R"("properties":{"prefixItems":{"$ref":"#/$defs/schemaArray"},)"
     R"("items":{"$dynamicRef":"#meta"},"contains":{"$dynamicRef":"#meta"},)"
     R"("additionalProperties":{"$dynamicRef":"#meta"},"properties":{"type":"object",)"
     R"("additionalProperties":{"$dynamicRef":"#meta"},"default":{}},)"
     R"("patternProperties":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"},)"
     R"("propertyNames":{"format":"regex"},"default":{}},)"
     R"("dependentSchemas":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"},)"
     R"("default":{}},"propertyNames":{"$dynamicRef":"#meta"},"if":{"$dynamicRef":"#meta"},)"
     R"("then":{"$dynamicRef":"#meta"},"else":{"$dynamicRef":"#meta"},)"
     R"("allOf":{"$ref":"#/$defs/schemaArray"},"anyOf":{"$ref":"#/$defs/schemaArray"},)"
     R"("oneOf":{"$ref":"#/$defs/schemaArray"},"not":{"$dynamicRef":"#meta"}},)"
     R"("$defs":{"schemaArray":{"type":"array","minItems":1,)"
     R"("items":{"$dynamicRef":"#meta"}}}})"},
    {"https://json-schema.org/draft/2020-12/meta/unevaluated",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/unevaluated",)"
     R"("$dynamicAnchor":"meta","title":"Unevaluated applicator vocabulary meta-schema",)"
     R"("type":["object","boolean"],)"
     R"("properties":{"unevaluatedItems":{"$dynamicRef":"#meta"},)"
     R"("unevaluatedProperties":{"$dynamicRef":"#meta"}}})"},
    {"https://json-schema.org/draft/2020-12/meta/validation",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/validation",)"
     R"("$dynamicAnchor":"meta","title":"Validation vocabulary meta-schema",)"
     R"("type":["object","boolean"],)"
     R"("properties":{"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},{"type":"array",)"
     R"("items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},)"
     R"("const":true,"enum":{"type":"array","items":true},"multipleOf":{"type":"number",)"
     R"("exclusiveMinimum":0},"maximum":{"type":"number"},)"
     R"("exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},)"
     R"("exclusiveMinimum":{"type":"number"},)"
     R"("maxLength":{"$ref":"#/$defs/nonNegativeInteger"},)"
     R"("minLength":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},)"
     R"("pattern":{"type":"string","format":"regex"},)"
     R"("maxItems":{"$ref":"#/$defs/nonNegativeInteger"},)"
     R"("minItems":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},)"
     R"("uniqueItems":{"type":"boolean","default":false},)"
     R"("maxContains":{"$ref":"#/$defs/nonNegativeInteger"},)"
     R"("minContains":{"$ref":"#/$defs/nonNegativeInteger","default":1},)"
     R"("maxProperties":{"$ref":"#/$defs/nonNegativeInteger"},)"
     R"("minProperties":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},)"
     R"("required":{"$ref":"#/$defs/stringArray"},"dependentRequired":{"type":"object",)"
     R"("additionalProperties":{"$ref":"#/$defs/stringArray"}}},)"
     R"("$defs":{"nonNegativeInteger":{"type":"integer","minimum":0},)"
     R"("nonNegativeIntegerDefault0":{"$ref":"#/$defs/nonNegativeInteger","default":0},)"
     R"("simpleTypes":{"enum":["array","boolean","integer","null","number","object",)"
     R"("string"]},"stringArray":{"type":"array","items":{"type":"string"},)"
     R"("uniqueItems":true,"default":[]}}})"},
    {"https://json-schema.org/draft/2020-12/meta/meta-data",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/meta-data",)"
     R"("$dynamicAnchor":"meta","title":"Meta-data vocabulary meta-schema","type":["object",)"
     R"("boolean"],"properties":{"title":{"type":"string"},"description":{"type":"string"},)"
     R"("default":true,"deprecated":{"type":"boolean","default":false},)"
     R"("readOnly":{"type":"boolean","default":false},"writeOnly":{"type":"boolean",)"
     R"("default":false},"examples":{"type":"array","items":true}}})"},
    {"https://json-schema.org/draft/2020-12/meta/format-annotation",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/format-annotation",)"
     R"("$dynamicAnchor":"meta",)"
     R"("title":"Format vocabulary meta-schema for annotation results","type":["object",)"
     R"("boolean"],"properties":{"format":{"type":"string"}}})"},
    {"https://json-schema.org/draft/2020-12/meta/format-assertion",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/format-assertion",)"
     R"("$dynamicAnchor":"meta",)"
     R"("title":"Format vocabulary meta-schema for assertion results","type":["object",)"
     R"("boolean"],"properties":{"format":{"type":"string"}}})"},
    {"https://json-schema.org/draft/2020-12/meta/content",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("$id":"https://json-schema.org/draft/2020-12/meta/content","$dynamicAnchor":"meta",)"
     R"("title":"Content vocabulary meta-schema","type":["object","boolean"],)"
     R"("properties":{"contentEncoding":{"type":"string"},)"
     R"("contentMediaType":{"type":"string"},"contentSchema":{"$dynamicRef":"#meta"}}})"},
    {"http://json-schema.org/draft-07/schema",
     R"({"$schema":"http://json-schema.org/draft-07/schema#",)"
     R"("$id":"http://json-schema.org/draft-07/schema#","title":"Core schema meta-schema",)"
     R"("definitions":{"schemaArray":{"type":"array","minItems":1,"items":{"$ref":"#"}},)"
     R"("nonNegativeInteger":{"type":"integer","minimum":0},)"
     R"("nonNegativeIntegerDefault0":{"allOf":[{"$ref":"#/definitions/nonNegativeInteger"},)"
     R"({"default":0}]},"simpleTypes":{"enum":["array","boolean","integer","null","number",)"
     R"("object","string"]},"stringArray":{"type":"array","items":{"type":"string"},)"
     R"("uniqueItems":true,"default":[]}},"type":["object","boolean"],)"
     R"("properties":{"$id":{"type":"string","format":"uri-reference"},)"
     R"("$schema":{"type":"string","format":"uri"},"$ref":{"type":"string",)"
     R"("format":"uri-reference"},"$comment":{"type":"string"},"title":{"type":"string"},)"
     R"("description":{"type":"string"},"default":true,"readOnly":{"type":"boolean",)"
     R"("default":false},"writeOnly":{"type":"boolean","default":false},)"
     R"("examples":{"type":"array","items":true},"multipleOf":{"type":"number",)"
     R"("exclusiveMinimum":0},"maximum":{"type":"number"},)"
     R"("exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},)"
     R"("exclusiveMinimum":{"type":"number"},)"
     R"("maxLength":{"$ref":"#/definitions/nonNegativeInteger"},)"
     R"("minLength":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},)"
     R"("pattern":{"type":"string","format":"regex"},"additionalItems":{"$ref":"#"},)"
     R"("items":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}],)"
     R"("default":true},"maxItems":{"$ref":"#/definitions/nonNegativeInteger"},)"
     R"("minItems":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},)"
     R"("uniqueItems":{"type":"boolean","default":false},"contains":{"$ref":"#"},)"
     R"("maxProperties":{"$ref":"#/definitions/nonNegativeInteger"},)"
     R"("minProperties":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},)"
     R"("required":{"$ref":"#/definitions/stringArray"},"additionalProperties":{"$ref":"#"},)"
     R"("definitions":{"type":"object","additionalProperties":{"$ref":"#"},"default":{}},)"
     R"("properties":{"type":"object","additionalProperties":{"$ref":"#"},"default":{}},)"
     R"("patternProperties":{"type":"object","additionalProperties":{"$ref":"#"},)"
     R"("propertyNames":{"format":"regex"},"default":{}},"dependencies":{"type":"object",)"
     R"("additionalProperties":{"anyOf":[{"$ref":"#"},)"
     R"({"$ref":"#/definitions/stringArray"}]}},"propertyNames":{"$ref":"#"},"const":true,)"
     R"("enum":{"type":"array","items":true,"minItems":1,"uniqueItems":true},)"
     R"("type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},{"type":"array",)"
     R"("items":{"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},)"
     R"("format":{"type":"string"},"contentMediaType":{"type":"string"},)"
     R"("contentEncoding":{"type":"string"},"if":{"$ref":"#"},"then":{"$ref":"#"},)"
     R"("else":{"$ref":"#"},"allOf":{"$ref":"#/definitions/schemaArray"},)"
     R"("anyOf":{"$ref":"#/definitions/schemaArray"},)"
     R"("oneOf":{"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"}},"default":true})"},
};

}  // namespace

Json const* find_meta_schema(std::string_view uri) {
    static auto const documents = [] {
        std::map<std::string_view, Json> parsed;
        for (Text const& text : texts) parsed.emplace(text.uri, json::parse(text.json).value());
        return parsed;
    }();
    auto const at = documents.find(uri);
    return at == documents.end() ? nullptr : &at->second;
}

}  // namespace lanyard::schema
