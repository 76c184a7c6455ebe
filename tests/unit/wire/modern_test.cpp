// The envelope of 2026-07-28.
#include "wire/modern.hpp"

#include <gtest/gtest.h>

#include "lanyard/protocol/error_data.hpp"
#include "lanyard/protocol/methods.hpp"
#include "wire/codec.hpp"

namespace lanyard::wire {
namespace {

constexpr auto v4 = Version::v2025_11_25;
constexpr auto v5 = Version::v2026_07_28;

struct Text {
    explicit Text(std::string_view json) : text(json), view(*document.parse(text)) {}
    std::string text;
    json::Document document;
    json::View view;
};

TEST(Envelope, holds_version_client_info_and_capabilities) {
    Text const params(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{"sampling":{},"roots":{"listChanged":true}},
        "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
        "io.modelcontextprotocol/logLevel":"warning","progressToken":1}})");
    auto const envelope = read_request_envelope(params.view);
    ASSERT_TRUE(envelope) << envelope.error().to_string();
    EXPECT_EQ(*envelope,
              (RequestEnvelope{.protocol_version = "2026-07-28",
                               .client_capabilities = {.roots = RootsCapability{},
                                                       .sampling = SamplingCapability{}},
                               .client_info = Implementation{.name = "c", .version = "1"},
                               .log_level = LoggingLevel::warning}));
    EXPECT_TRUE(has_protocol_claim(params.view.find("_meta")));
}

std::string why(std::string_view json) {
    Text const params(json);
    auto const envelope = read_request_envelope(params.view);
    return envelope ? "valid" : envelope.error().to_string();
}

TEST(Rule, M19_required_keys_must_be_present) {
    EXPECT_EQ(read_request_envelope(std::nullopt).error().message,
              "missing required property \"_meta\"");
    EXPECT_EQ(why("{}"), "missing required property \"_meta\"");
    EXPECT_EQ(why(R"({"_meta":1})"), "/_meta: must be an object, got an integer");
    EXPECT_EQ(why(R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})"),
              "/_meta: missing required property \"io.modelcontextprotocol/protocolVersion\"");
    EXPECT_EQ(why(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v"}})"),
              "/_meta: missing required property \"io.modelcontextprotocol/clientCapabilities\"");
    EXPECT_EQ(why(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v",
                     "io.modelcontextprotocol/clientCapabilities":{}}})"),
              "valid");
}

TEST(Rule, M19_malformed_keys_are_refused) {
    auto const with = [](std::string_view member) {
        return why(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v",
            "io.modelcontextprotocol/clientCapabilities":{},)" +
                   std::string(member) + "}}");
    };
    EXPECT_NE(with(R"("io.modelcontextprotocol/clientInfo":{"name":"c"})"), "valid");
    EXPECT_NE(with(R"("io.modelcontextprotocol/logLevel":"loud")"), "valid");
    EXPECT_NE(why(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":1,
                     "io.modelcontextprotocol/clientCapabilities":{}}})"),
              "valid");
    EXPECT_NE(why(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v",
                     "io.modelcontextprotocol/clientCapabilities":[]}})"),
              "valid");
}

TEST(Envelope, any_version_makes_a_claim) {
    auto const claims = [](std::string_view json) {
        Text const params(json);
        return has_protocol_claim(params.view.find("_meta"));
    };
    EXPECT_FALSE(has_protocol_claim(std::nullopt));
    EXPECT_FALSE(claims("{}"));
    EXPECT_FALSE(claims(R"({"_meta":{}})"));
    EXPECT_FALSE(claims(R"({"_meta":7})"));
    EXPECT_TRUE(claims(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v999"}})"));
    EXPECT_TRUE(claims(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":1}})"));
}

TEST(Rule, M20_invalid_or_missing_server_info_is_ignored) {
    Text const good(
        R"({"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}})");
    EXPECT_EQ(read_server_info(good.view), (Implementation{.name = "s", .version = "1"}));
    EXPECT_EQ(read_server_info(Text(R"({"_meta":{"io.modelcontextprotocol/serverInfo":7}})").view),
              std::nullopt);
    EXPECT_EQ(read_server_info(Text("{}").view), std::nullopt);
}

TEST(Rule, M68_subscription_ids_keep_their_type) {
    EXPECT_EQ(read_subscription_id(
                  Text(R"({"_meta":{"io.modelcontextprotocol/subscriptionId":11}})").view),
              RequestId(11));
    EXPECT_EQ(read_subscription_id(
                  Text(R"({"_meta":{"io.modelcontextprotocol/subscriptionId":"11"}})").view),
              RequestId("11"));
    EXPECT_EQ(read_subscription_id(std::nullopt), std::nullopt);
    std::string text;
    json::Writer writer(text);
    ASSERT_TRUE(encode_notification(writer, EmptyParams{}, {v5, RequestId(11)}));
    EXPECT_EQ(text, R"({"_meta":{"io.modelcontextprotocol/subscriptionId":11}})");
}

std::string kind_of(std::string_view json, MethodInfo const& method, bool tasks = false) {
    Text const result(json);
    auto const kind = result_kind(result.view, method, tasks);
    if (!kind) return kind.error().to_string();
    constexpr std::string_view names[] = {"complete", "input_required", "task"};
    return std::string(names[static_cast<std::size_t>(*kind)]);
}

TEST(Rule, M07_a_missing_result_type_is_complete) {
    EXPECT_EQ(kind_of("{}", methods::CallTool::info), "complete");
    EXPECT_EQ(kind_of(R"({"resultType":"complete"})", methods::ListTools::info), "complete");
}

TEST(Rule, M07_an_unknown_result_type_is_invalid) {
    EXPECT_EQ(kind_of(R"({"resultType":"partial"})", methods::CallTool::info),
              "/resultType: tools/call cannot have a result of type \"partial\"");
    EXPECT_EQ(kind_of(R"({"resultType":1})", methods::CallTool::info),
              "/resultType: tools/call cannot have a result of type 1");
}

TEST(Rule, M71_input_is_required_only_of_three_methods) {
    EXPECT_EQ(kind_of(R"({"resultType":"input_required"})", methods::GetPrompt::info),
              "input_required");
    EXPECT_NE(kind_of(R"({"resultType":"input_required"})", methods::ListTools::info),
              "input_required");
}

TEST(Rule, M105_tasks_come_only_from_tool_calls_with_the_extension) {
    EXPECT_EQ(kind_of(R"({"resultType":"task"})", methods::CallTool::info, true), "task");
    EXPECT_NE(kind_of(R"({"resultType":"task"})", methods::CallTool::info, false), "task");
    EXPECT_NE(kind_of(R"({"resultType":"task"})", methods::GetPrompt::info, true), "task");
}

template <class T>
std::string params_or_error(T const& params, RequestStamp const& stamp) {
    std::string text;
    json::Writer writer(text);
    auto const written = encode_params(writer, params, stamp);
    return written ? text : written.error().message();
}

template <class T>
std::string result_or_error(T const& result, ResultStamp const& stamp) {
    std::string text;
    json::Writer writer(text);
    auto const written = encode_result(writer, result, stamp);
    return written ? text : written.error().message();
}

TEST(Rule, M18_every_request_carries_the_envelope) {
    EXPECT_EQ(params_or_error(EmptyParams{}, {.version = v5}),
              R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientCapabilities":{}}})");
    Meta meta;
    meta.set_progress_token(7);
    EXPECT_EQ(params_or_error(CallToolParams{.name = "t", .meta = meta},
                              {.version = v5,
                               .client_capabilities = RawJson::trusted(R"({"roots":{}})"),
                               .client_info = RawJson::trusted(R"({"name":"c","version":"1"})"),
                               .log_level = LoggingLevel::info}),
              R"({"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}},)"
              R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},)"
              R"("io.modelcontextprotocol/logLevel":"info","progressToken":7}})");
    EXPECT_EQ(params_or_error(EmptyParams{}, {.version = v4}), "{}");
}

TEST(Rule, M06_every_result_has_a_type_and_its_server) {
    ResultStamp const stamp{.version = v5,
                            .server_info = RawJson::trusted(R"({"name":"s","version":"1"})"),
                            .subscription_id = std::nullopt};
    EXPECT_EQ(result_or_error(EmptyResult{}, stamp),
              R"({"resultType":"complete",)"
              R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}})");
    EXPECT_EQ(result_or_error(EmptyResult{}, {.version = v5}), R"({"resultType":"complete"})");
    EXPECT_EQ(result_or_error(EmptyResult{}, {.version = v4}), "{}");
    EXPECT_EQ(result_or_error(InputRequiredResult{.request_state = "s"}, {.version = v5}),
              R"({"resultType":"input_required","requestState":"s"})");
}

TEST(Rule, M90_cache_hints_are_always_written) {
    EXPECT_EQ(result_or_error(ListToolsResult{}, {.version = v5}),
              R"({"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"})");
    EXPECT_EQ(
        result_or_error(ListToolsResult{.cache = {std::chrono::milliseconds(-5)}}, {.version = v5}),
        R"({"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"})");
    EXPECT_EQ(result_or_error(ListToolsResult{}, {.version = v4}), R"({"tools":[]})");
}

TEST(Rule, M90_absent_or_negative_hints_never_cache) {
    auto const absent = decode_result<ListToolsResult>(Text(R"({"tools":[]})").view, v5);
    ASSERT_TRUE(absent);
    EXPECT_EQ(absent->cache, CacheHint{});
    auto const negative = decode_result<ListToolsResult>(
        Text(R"({"tools":[],"ttlMs":-1,"cacheScope":"public"})").view, v5);
    ASSERT_TRUE(negative);
    EXPECT_EQ(negative->cache.ttl.count(), 0);
    EXPECT_EQ(negative->cache.scope, CacheScope::public_);
    EXPECT_FALSE(decode_result<ListToolsResult>(
        Text(R"({"tools":[],"ttlMs":"soon","cacheScope":"public"})").view, v5));
    EXPECT_FALSE(decode_result<ListToolsResult>(
        Text(R"({"tools":[],"ttlMs":1,"cacheScope":"secret"})").view, v5));
}

TEST(Envelope, never_appears_among_the_users_metadata) {
    Text const text(R"({"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{},"a":1}})");
    auto const modern = decode_params<CallToolParams>(text.view, v5);
    ASSERT_TRUE(modern);
    EXPECT_EQ(modern->meta.members(), (JsonObject{{"a", 1}}));
    EXPECT_TRUE(modern->extra.empty());
    auto const legacy = decode_params<CallToolParams>(text.view, v4);
    ASSERT_TRUE(legacy);
    EXPECT_EQ(legacy->meta.members().size(), 3U);
}

TEST(Envelope, cannot_be_written_by_users) {
    Meta meta;
    meta.members()["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
    for (auto const version : {v4, v5}) {
        EXPECT_EQ(params_or_error(EmptyParams{.meta = meta}, {.version = version}),
                  "the _meta key \"io.modelcontextprotocol/protocolVersion\" is the protocol's "
                  "own");
    }
}

TEST(Rule, IM06_bad_metadata_keys_are_not_sent) {
    Meta const meta(JsonObject{{"a b", 1}});
    EXPECT_EQ(params_or_error(EmptyParams{.meta = meta}, {.version = v4}),
              "\"a b\" is not a valid _meta key");
    EXPECT_EQ(params_or_error(EmptyParams{.meta = meta}, {.version = Version::v2025_03_26}),
              R"({"_meta":{"a b":1}})");
    EXPECT_EQ(result_or_error(EmptyResult{.meta = meta}, {.version = v5}),
              "\"a b\" is not a valid _meta key");
}

TEST(Rule, G01_progress_tokens_are_strings_or_integers) {
    auto const token = [](std::string_view value) {
        Text const text(R"({"_meta":{"progressToken":)" + std::string(value) + "}}");
        auto const params = decode_params<EmptyParams>(text.view, v4);
        return params ? "valid" : params.error().to_string();
    };
    EXPECT_EQ(token("0"), "valid");
    EXPECT_EQ(token(R"("")"), "valid");
    EXPECT_EQ(token("1.5"), "/_meta/progressToken: must be a string or an integer");
    EXPECT_EQ(token("null"), "/_meta/progressToken: must be a string or an integer");
}

TEST(Decoding, absent_params_are_empty) {
    EXPECT_TRUE(decode_params<EmptyParams>(std::nullopt, v4));
    EXPECT_TRUE(decode_notification<EmptyParams>(std::nullopt, v4));
    auto const missing = decode_params<CallToolParams>(std::nullopt, v4);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "missing required property \"name\"");
}

TEST(ErrorData, round_trips) {
    MissingRequiredClientCapability const missing{
        .required_capabilities = {.sampling = SamplingCapability{}}};
    auto const text = encode_error_data(missing, v5);
    EXPECT_EQ(text.text(), R"({"requiredCapabilities":{"sampling":{}}})");
    EXPECT_EQ(*decode_error_data<MissingRequiredClientCapability>(Text(text.text()).view, v5),
              missing);
    EXPECT_FALSE(
        decode_error_data<UnsupportedProtocolVersion>(Text(R"({"supported":[]})").view, v5));
}

TEST(Rule, X07_unknown_members_are_kept) {
    Text const text(R"({"content":[],"later":{"a":[1]},"_meta":{"x":true}})");
    for (auto const version : all_versions) {
        auto const result = decode_result<CallToolResult>(text.view, version);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->extra, (JsonObject{{"later", {{"a", {1}}}}}));
    }
    auto const capabilities = decode_params<InitializeParams>(
        Text(R"({"protocolVersion":"v","clientInfo":{"name":"c","version":"1"},
            "capabilities":{"new":{},"roots":{"deep":1},"sampling":{"s":{}}},"more":1})")
            .view,
        v4);
    ASSERT_TRUE(capabilities);
    EXPECT_EQ(capabilities->capabilities.extra, (JsonObject{{"new", JsonObject{}}}));
    EXPECT_EQ(capabilities->capabilities.roots->extra, (JsonObject{{"deep", 1}}));
    EXPECT_EQ(capabilities->extra, (JsonObject{{"more", 1}}));
}

TEST(Rule, M07_result_type_is_no_extra_member) {
    auto const result =
        decode_result<CallToolResult>(Text(R"({"resultType":"complete","content":[]})").view, v5);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->extra.empty());
    EXPECT_FALSE(
        decode_result<CallToolResult>(Text(R"({"resultType":"task","content":[]})").view, v5));
}

}  // namespace
}  // namespace lanyard::wire
