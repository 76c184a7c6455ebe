// Request data mirrored into HTTP headers.
#include "wire/mcp_headers.hpp"

#include <gtest/gtest.h>

namespace lanyard::wire {
namespace {

TEST(Rule, M50_safe_values_stay_as_they_are) {
    for (auto const* value : {"us-west1", "", "a b", "~!@#", "file:///a%20b", "=?base64?",
                              "?=", "=?BASE64?x?=", "=?base64?x"}) {
        EXPECT_EQ(encode_header_value(value), value);
    }
}

TEST(Rule, M50_unsafe_values_are_encoded) {
    EXPECT_EQ(encode_header_value("Hello, \u4e16\u754c"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    EXPECT_EQ(encode_header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
    EXPECT_EQ(encode_header_value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
    EXPECT_EQ(encode_header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    EXPECT_EQ(encode_header_value("a\tb"), "=?base64?YQli?=");
    EXPECT_EQ(encode_header_value("a "), "=?base64?YSA=?=");
    EXPECT_EQ(encode_header_value("\x7f"), "=?base64?fw==?=");
}

TEST(Rule, M51_headers_are_decoded_before_they_are_compared) {
    for (auto const* value : {"", "a b", " padded ", "\u4e16", "=?base64?literal?=", "a\nb"}) {
        auto const decoded = decode_header_value(encode_header_value(value));
        ASSERT_TRUE(decoded) << value;
        EXPECT_EQ(*decoded, value);
    }
    EXPECT_EQ(*decode_header_value("=?BASE64?AAAA?="), "=?BASE64?AAAA?=");
    EXPECT_EQ(*decode_header_value("=?base64?="), "=?base64?=");
    EXPECT_EQ(*decode_header_value("=?base64?"
                                   "?="),
              "");
    EXPECT_EQ(*decode_header_value("a\tb"), "a\tb");
}

TEST(Rule, M51_bad_encodings_are_refused) {
    EXPECT_FALSE(decode_header_value("=?base64?A?="));
    EXPECT_FALSE(decode_header_value("=?base64?AAA?="));
    EXPECT_FALSE(decode_header_value("=?base64?A-A_?="));
    EXPECT_FALSE(decode_header_value("a\nb"));
    EXPECT_FALSE(decode_header_value("\xc3\xa4"));
    EXPECT_FALSE(decode_header_value("a\x7f"));
}

TEST(Rule, M47_names_are_mirrored_for_their_methods) {
    EXPECT_EQ(mirrored_member(methods::CallTool::info.name), "name");
    EXPECT_EQ(mirrored_member(methods::GetPrompt::info.name), "name");
    EXPECT_EQ(mirrored_member(methods::ReadResource::info.name), "uri");
    EXPECT_EQ(mirrored_member(methods::GetTask::info.name), "taskId");
    EXPECT_EQ(mirrored_member(methods::UpdateTask::info.name), "taskId");
    EXPECT_EQ(mirrored_member(methods::CancelTask::info.name), "taskId");
    EXPECT_EQ(mirrored_member(methods::ListTools::info.name), std::nullopt);
}

Result<std::vector<ParamHeader>, DecodeError> headers_of(std::string_view schema) {
    json::Document document;
    return param_headers(*document.parse(schema));
}

std::string why(std::string_view schema) {
    auto const headers = headers_of(schema);
    return headers ? "valid" : headers.error().to_string();
}

TEST(Rule, M49_annotations_are_found_through_properties) {
    auto const headers = headers_of(R"({"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "inner":{"type":"object","properties":{
            "count":{"type":"integer","x-mcp-header":"Count"},
            "x-mcp-header":{"type":"string"}}},
        "flag":{"x-mcp-header":"Flag!","type":"boolean"},
        "other":true}})");
    ASSERT_TRUE(headers) << headers.error().to_string();
    using Type = ParamHeader::Type;
    EXPECT_EQ(*headers, (std::vector<ParamHeader>{{"Region", {"region"}, Type::string},
                                                  {"Count", {"inner", "count"}, Type::integer},
                                                  {"Flag!", {"flag"}, Type::boolean}}));
    EXPECT_TRUE(headers_of(R"({"type":"object"})")->empty());
}

TEST(Rule, M49_annotations_are_field_names) {
    auto const with = [](std::string const& value) {
        return why(R"({"properties":{"a":{"type":"string","x-mcp-header":)" + value + "}}}");
    };
    EXPECT_EQ(with(R"("")"), "/properties/a/x-mcp-header: must not be empty");
    EXPECT_EQ(with("1"), "/properties/a/x-mcp-header: must be a string");
    EXPECT_EQ(with(R"("a b")"), "/properties/a/x-mcp-header: must be an HTTP field name");
    EXPECT_EQ(with(R"("a\r")"), "/properties/a/x-mcp-header: must be an HTTP field name");
    EXPECT_EQ(with(R"("a:")"), "/properties/a/x-mcp-header: must be an HTTP field name");
    EXPECT_EQ(with(R"("A-b_1.~")"), "valid");
}

TEST(Rule, M49_annotations_belong_to_primitives) {
    for (auto const* type : {R"("type":"number",)", R"("type":"object",)", R"("type":"array",)",
                             R"("type":"null",)", R"("type":["string","null"],)", ""}) {
        EXPECT_EQ(why(std::string(R"({"properties":{"a":{)") + type + R"("x-mcp-header":"A"}}})"),
                  "/properties/a/x-mcp-header: may only stand on a string, an integer or a boolean")
            << type;
    }
}

TEST(Rule, M49_annotations_are_unique_ignoring_case) {
    EXPECT_EQ(why(R"({"properties":{"a":{"type":"string","x-mcp-header":"Name"},
                                    "b":{"type":"string","x-mcp-header":"nAME"}}})"),
              "/properties/b/x-mcp-header: \"nAME\" is used twice");
}

TEST(Rule, M49_annotations_are_statically_reachable) {
    EXPECT_EQ(why(R"({"type":"object","x-mcp-header":"A"})"),
              "/x-mcp-header: may not stand on the whole schema");
    for (auto const* keyword : {"items", "not", "if", "then", "else", "additionalProperties"}) {
        auto const schema = std::string(R"({"properties":{"a":{")") + keyword +
                            R"(":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}})";
        EXPECT_EQ(why(schema), std::string("/properties/a/") + keyword +
                                   "/properties/b/x-mcp-header: may only stand on a property that "
                                   "is reached through \"properties\"");
    }
    for (auto const* keyword : {"oneOf", "anyOf", "allOf", "prefixItems"}) {
        auto const schema =
            std::string("{\"") + keyword + R"(":[{},{"type":"string","x-mcp-header":"A"}]})";
        EXPECT_EQ(why(schema), std::string("/") + keyword +
                                   "/1/x-mcp-header: may only stand on a property that is reached "
                                   "through \"properties\"");
    }
    EXPECT_NE(why(R"({"$defs":{"a/b":{"type":"string","x-mcp-header":"A"}}})"), "valid");
    EXPECT_EQ(why(R"({"items":{"properties":{"x-mcp-header":{"type":"string"}}}})"), "valid");
}

struct Arguments {
    explicit Arguments(std::string_view json) : text(json), view(*document.parse(text)) {}
    std::string text;
    json::Document document;
    json::View view;
};

ParamHeader const region{"Region", {"region"}, ParamHeader::Type::string};
ParamHeader const count{"Count", {"inner", "count"}, ParamHeader::Type::integer};
ParamHeader const enabled{"Enabled", {"enabled"}, ParamHeader::Type::boolean};

TEST(Rule, M48_arguments_are_mirrored) {
    Arguments const arguments(R"({"region":"w\u00e4st","inner":{"count":-7},"enabled":true})");
    EXPECT_EQ(param_header_value(region, arguments.view), "=?base64?d8Okc3Q=?=");
    EXPECT_EQ(param_header_value(count, arguments.view), "-7");
    EXPECT_EQ(param_header_value(enabled, arguments.view), "true");
    Arguments const off(R"({"enabled":false,"inner":{"count":42.0}})");
    EXPECT_EQ(param_header_value(enabled, off.view), "false");
    EXPECT_EQ(param_header_value(count, off.view), "42");
}

TEST(Rule, M50_absent_and_null_arguments_have_no_header) {
    Arguments const arguments(R"({"region":null,"inner":{}})");
    EXPECT_EQ(param_header_value(region, arguments.view), std::nullopt);
    EXPECT_EQ(param_header_value(count, arguments.view), std::nullopt);
    EXPECT_EQ(param_header_value(enabled, arguments.view), std::nullopt);
    EXPECT_EQ(param_header_value(count, std::nullopt), std::nullopt);
}

TEST(ParamHeaders, arguments_of_another_type_have_no_header) {
    Arguments const arguments(R"({"region":1,"inner":{"count":1.5},"enabled":"true"})");
    EXPECT_EQ(param_header_value(region, arguments.view), std::nullopt);
    EXPECT_EQ(param_header_value(count, arguments.view), std::nullopt);
    EXPECT_EQ(param_header_value(enabled, arguments.view), std::nullopt);
    Arguments const large(R"({"inner":{"count":9007199254740993}})");
    EXPECT_EQ(param_header_value(count, large.view), std::nullopt);
    Arguments const small(R"({"inner":{"count":-1e300}})");
    EXPECT_EQ(param_header_value(count, small.view), std::nullopt);
    Arguments const text(R"({"inner":{"count":"7"}})");
    EXPECT_EQ(param_header_value(count, text.view), std::nullopt);
    EXPECT_TRUE(check_param_header(count, text.view, std::nullopt));
}

TEST(Rule, M51_headers_agree_with_arguments) {
    Arguments const arguments(R"({"region":" x","inner":{"count":42},"enabled":true})");
    auto const check = [&](ParamHeader const& header, std::optional<std::string_view> found) {
        auto const result = check_param_header(header, arguments.view, found);
        return result ? std::string("agrees") : result.error().message;
    };
    EXPECT_EQ(check(region, "=?base64?IHg=?="), "agrees");
    EXPECT_EQ(check(region, "y"), "the header Mcp-Param-Region differs from the argument");
    EXPECT_EQ(check(region, std::nullopt), "the header Mcp-Param-Region is missing");
    EXPECT_NE(check(region, "=?base64?!?="), "agrees");
    EXPECT_EQ(check(count, "42"), "agrees");
    EXPECT_EQ(check(count, "42.0"), "agrees");
    EXPECT_EQ(check(count, "43"), "the header Mcp-Param-Count differs from the argument");
    EXPECT_EQ(check(count, "many"), "the header Mcp-Param-Count differs from the argument");
    EXPECT_EQ(check(enabled, "true"), "agrees");
    EXPECT_EQ(check(enabled, "True"), "the header Mcp-Param-Enabled differs from the argument");
}

TEST(ParamHeaders, a_header_without_its_argument_is_refused) {
    Arguments const arguments("{}");
    EXPECT_TRUE(check_param_header(region, arguments.view, std::nullopt));
    auto const refused = check_param_header(region, arguments.view, "x");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "the header Mcp-Param-Region has no argument");
}

}  // namespace
}  // namespace lanyard::wire
