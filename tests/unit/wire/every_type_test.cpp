// Properties of every type: comparisons include each member, and each codec checks `_meta`.
#include <gtest/gtest.h>

#include "unit/wire/samples.hpp"
#include "wire/codec.hpp"
#include "wire/mcp_headers.hpp"
#include "wire/modern.hpp"
#include "wire/tables/error_data.hpp"
#include "wire/tables/lifecycle.hpp"
#include "wire/tables/prompts.hpp"
#include "wire/tables/resources.hpp"
#include "wire/tables/tasks.hpp"
#include "wire/tables/tools.hpp"

namespace lanyard::test {
namespace {

std::string text_of(reflect::Field const& field, void* object) {
    std::string text;
    json::Writer writer(text);
    field.type.encode(writer, field.access(object), {field.until});
    return text;
}

// Copies single members from the other samples and expects each of them to change the comparison.
template <class T>
void expect_members_count() {
    auto const all = samples<T>();
    auto const& info = *reflect::struct_info<T>();
    for (auto const& sample : all) {
        for (auto const& field : info.fields) {
            T base = all.front().value;
            T full = sample.value;
            EXPECT_TRUE(base == all.front().value);
            if (field.access == nullptr || field.since > field.until) continue;
            if (field.absent != nullptr && field.absent(field.access(&full))) continue;
            auto const text = text_of(field, &full);
            if (text == text_of(field, &base)) continue;
            T changed = base;
            json::Document document;
            DecodeContext context(field.until);
            ASSERT_TRUE(field.type.decode(*document.parse(text), field.access(&changed), context))
                << field.name << text;
            // Lists of choices are decoded without their keyword and may not read back the same.
            if (text_of(field, &changed) != text) continue;
            EXPECT_FALSE(changed == base) << info.name << "." << field.name;
        }
    }
    if (info.rest != nullptr) {
        T changed = all.front().value;
        info.rest(&changed)["x"] = 1;
        EXPECT_FALSE(changed == all.front().value) << info.name << " extra";
    }
}

template <class... Ts>
void expect_all_members_count() {
    (expect_members_count<Ts>(), ...);
}

TEST(EveryType, compares_all_its_members) {
    expect_all_members_count<
        Icon, Annotations, Implementation, EmptyParams, EmptyResult, PaginatedParams,
        ClientCapabilities, ServerCapabilities, InitializeParams, InitializeResult, DiscoverResult,
        SubscriptionFilter, SubscriptionsListenParams, SubscriptionsAcknowledgedParams,
        SetLevelParams, LoggingMessageParams, ProgressParams, CancelledParams, TextContent,
        ImageContent, AudioContent, Resource, ResourceLink, TextResourceContents,
        BlobResourceContents, EmbeddedResource, ToolUseContent, ToolResultContent, ToolAnnotations,
        ToolExecution, Tool, ListToolsResult, CallToolParams, CallToolResult, ResourceTemplate,
        ListResourcesResult, ListResourceTemplatesResult, ResourceParams, ReadResourceParams,
        ReadResourceResult, PromptArgument, Prompt, PromptMessage, ListPromptsResult,
        GetPromptParams, GetPromptResult, PromptReference, CompleteParams, CompleteResult>();
    expect_all_members_count<
        StringSchema, NumberSchema, BooleanSchema, SingleSelectEnumSchema, MultiSelectEnumSchema,
        ElicitFormParams, ElicitUrlParams, ElicitResult, ElicitationCompleteParams, ModelHint,
        ModelPreferences, ToolChoice, SamplingMessage, CreateMessageParams, CreateMessageResult,
        Root, ListRootsResult, InputRequiredResult, TaskMetadata, TaskInfo, CreateTaskResult,
        TaskParams, GetTaskResult, TaskStatusParams, ListTasksResult, UpdateTaskParams,
        CancelTaskResult, UnsupportedProtocolVersion, MissingRequiredClientCapability,
        UrlElicitationRequired>();
}

// Expects that the first value differs from all others, each of which changes one member.
template <class T>
void expect_different(std::vector<T> const& values) {
    for (std::size_t i = 1; i < values.size(); ++i) EXPECT_FALSE(values.front() == values[i]) << i;
}

TEST(EveryType, compares_the_parts_that_have_no_table) {
    expect_different<CompletionArgument>({{}, {.name = "n"}, {.value = "v"}});
    expect_different<CompletionContext>({{}, {.arguments = {{"a", "b"}}}});
    expect_different<Completion>({{}, {.values = {""}}, {.total = 1}, {.has_more = true}});
    expect_different<ResourceTemplateReference>({{}, {.uri = "a:b"}});
    expect_different<EnumOption>({{}, {.value = "v"}, {.title = "t"}});
    expect_different<FormField>(
        {{}, {.name = "n"}, {.schema = BooleanSchema{}}, {.required = true}});
    expect_different<FormSchema>({{}, {.fields = {{}}}, {.dialect = "d"}});
    expect_different<CacheHint>(
        {{}, {.ttl = std::chrono::milliseconds(1)}, {.scope = CacheScope::public_}});
    expect_different<TraceContext>(
        {{}, {.traceparent = "p"}, {.tracestate = "s"}, {.baggage = "b"}});
    expect_different<InputRetry>(
        {{}, {.input_responses = {{"k", ListRootsResult{}}}}, {.request_state = ""}});
    expect_different<wire::RequestEnvelope>({{},
                                             {.protocol_version = "v"},
                                             {.client_capabilities = {.roots = RootsCapability{}}},
                                             {.client_info = Implementation{}},
                                             {.log_level = LoggingLevel::info}});
    using Type = wire::ParamHeader::Type;
    expect_different<wire::ParamHeader>({{"n", {"p"}, Type::string},
                                         {"m", {"p"}, Type::string},
                                         {"n", {"q"}, Type::string},
                                         {"n", {"p"}, Type::boolean}});
}

// Runs f once for each method of the list.
template <class... Methods, class F>
void each_method(std::tuple<Methods...> const*, F f) {
    (f.template operator()<Methods>(), ...);
}

// Returns a sample that can be written in the method's newest revision.
template <class Method, class T>
T sample_for() {
    for (auto const& sample : samples<T>()) {
        if (Method::info.until >= sample.since && Method::info.until <= sample.until) {
            return sample.value;
        }
    }
    ADD_FAILURE() << "no sample for " << Method::info.name;
    return {};
}

template <class T>
void set_meta(T& value, char const* key, Json const& member) {
    if constexpr (requires { value.meta; }) value.meta.members()[key] = member;
}

void set_meta(ElicitParams& value, char const* key, Json const& member) {
    std::visit([&](auto& mode) { set_meta(mode, key, member); }, value);
}

template <class T>
constexpr bool has_meta = requires(T value) { value.meta; } || std::same_as<T, ElicitParams>;

struct ChecksRequest {
    template <class Method>
    void operator()() const {
        using Params = typename Method::Params;
        SCOPED_TRACE(Method::info.name);
        auto const version = Method::info.until;
        auto const good = sample_for<Method, Params>();
        auto bad = good;
        set_meta(bad, "a b", 1);
        std::string text;
        json::Writer writer(text);
        EXPECT_FALSE(wire::encode_params(writer, bad, {.version = version}));
        EXPECT_TRUE(wire::encode_params(writer, good, {.version = version}));

        json::Document document;
        EXPECT_FALSE(wire::decode_params<Params>(*document.parse("[]"), version));
        auto tree = *json::parse(text);
        tree.get_object()["_meta"] = {{"progressToken", 1.5}};
        auto const wrong = json::serialize(tree);
        auto const refused = wire::decode_params<Params>(*document.parse(wrong), version);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().pointer, "/_meta/progressToken");
        // Only params without required members may be absent.
        EXPECT_EQ(wire::decode_params<Params>(std::nullopt, version).has_value(),
                  wire::decode_params<Params>(*document.parse("{}"), version).has_value());
    }
};

TEST(EveryMethod, checks_the_metadata_of_its_params) {
    each_method(static_cast<AllRequests const*>(nullptr), ChecksRequest{});
}

struct ChecksResult {
    template <class Method>
    void operator()() const {
        using Value = typename Method::Result;
        SCOPED_TRACE(Method::info.name);
        auto const version = Method::info.until;
        wire::ResultStamp const stamp{.version = version, .subscription_id = RequestId(1)};
        auto const good = sample_for<Method, Value>();
        std::string text;
        json::Writer writer(text);
        if constexpr (has_meta<Value>) {
            auto bad = good;
            set_meta(bad, "a b", 1);
            EXPECT_FALSE(wire::encode_result(writer, bad, stamp));
        }
        EXPECT_TRUE(wire::encode_result(writer, good, stamp));
        json::Document document;
        EXPECT_TRUE(wire::decode_result<Value>(*document.parse(text), version)) << text;
        EXPECT_FALSE(wire::decode_result<Value>(*document.parse("[]"), version));
    }
};

TEST(EveryMethod, checks_the_metadata_of_its_result) {
    each_method(static_cast<AllRequests const*>(nullptr), ChecksResult{});
}

struct ChecksNotification {
    template <class Method>
    void operator()() const {
        using Params = typename Method::Params;
        SCOPED_TRACE(Method::info.name);
        auto const version = Method::info.until;
        auto const good = sample_for<Method, Params>();
        auto bad = good;
        set_meta(bad, "a b", 1);
        std::string text;
        json::Writer writer(text);
        EXPECT_FALSE(wire::encode_notification(writer, bad, {version, std::nullopt}));
        EXPECT_TRUE(wire::encode_notification(writer, good, {version, std::nullopt}));
        json::Document document;
        EXPECT_TRUE(wire::decode_notification<Params>(*document.parse(text), version)) << text;
        EXPECT_FALSE(wire::decode_notification<Params>(*document.parse("[]"), version));
        EXPECT_EQ(wire::decode_notification<Params>(std::nullopt, version).has_value(),
                  wire::decode_notification<Params>(*document.parse("{}"), version).has_value());
    }
};

TEST(EveryNotification, checks_its_metadata) {
    each_method(static_cast<AllNotifications const*>(nullptr), ChecksNotification{});
}

TEST(Metadata, is_an_object) {
    json::Document document;
    auto const refused = wire::decode_params<EmptyParams>(*document.parse(R"({"_meta":[]})"), v4);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().to_string(), "/_meta: must be an object, got an array");
}

TEST(Tools, output_schemas_that_are_not_json_are_left_out) {
    ListToolsResult const list{
        .tools = {
            {.name = "t", .input_schema = raw(R"({"type":"object"})"), .output_schema = raw("{")}}};
    std::string text;
    json::Writer writer(text);
    ASSERT_TRUE(wire::encode_result(writer, list, {.version = v4}));
    EXPECT_EQ(text, R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})");
}

// Returns the output schema of a tool with this schema in a list; empty if it is not listed.
std::string listed_output_schema(std::string const& schema, Version version) {
    ListToolsResult list;
    Tool& tool = list.tools.emplace_back();
    tool.name = "t";
    tool.input_schema = raw(R"({"type":"object"})");
    tool.output_schema = RawJson::trusted(schema);
    std::string text;
    json::Writer writer(text);
    EXPECT_TRUE(wire::encode_result(writer, list, {.version = version}));
    json::Document document;
    auto const listed = document.parse(text).value().find("tools").value();
    auto const found = (*listed.elements().begin()).find("outputSchema");
    return found ? std::string(found->raw()) : std::string();
}

TEST(Tools, output_schemas_of_non_objects_are_wrapped_before_2026_07_28) {
    auto const array = R"({"type":"array","items":{"$ref":"#/$defs/A"},"$defs":{"A":{}}})";
    EXPECT_EQ(listed_output_schema(array, v5), array);
    EXPECT_EQ(listed_output_schema(array, v4),
              R"({"type":"object","properties":{"result":{"type":"array",)"
              R"("items":{"$ref":"#/$defs/A"}}},"required":["result"],"$defs":{"A":{}}})");
    EXPECT_EQ(listed_output_schema(R"({"type":["string","null"]})", v3),
              R"({"type":"object","properties":{"result":{"type":["string","null"]}},)"
              R"("required":["result"]})");
    EXPECT_EQ(listed_output_schema(array, v2), listed_output_schema(array, v4));
    EXPECT_EQ(listed_output_schema(R"({"type":"object"})", v4), R"({"type":"object"})");
}

TEST(Tools, output_schemas_that_cannot_be_wrapped_are_left_out) {
    for (auto const* const schema :
         {R"({})", R"({"type":["array","object"]})", R"({"anyOf":[{"type":"object"}]})",
          R"({"type":"array","items":{"$ref":"#"}})", R"({"type":"array","$id":"https://a/b"})",
          R"({"type":"array","items":{"$ref":"#/prefixItems/0"},"prefixItems":[{}]})"}) {
        EXPECT_EQ(listed_output_schema(schema, v4), "") << schema;
        EXPECT_EQ(listed_output_schema(schema, v5), schema);
    }
}

TEST(Tools, output_of_non_objects_is_wrapped_before_2026_07_28) {
    auto const written = [](std::string const& output, Version version) {
        CallToolResult result;
        result.structured_content = RawJson::trusted(output);
        std::string text;
        json::Writer writer(text);
        EXPECT_TRUE(wire::encode_result(writer, result, {.version = version}));
        json::Document document;
        return std::string(document.parse(text).value().find("structuredContent").value().raw());
    };
    EXPECT_EQ(written("[1]", v4), R"({"result":[1]})");
    EXPECT_EQ(written("null", v3), R"({"result":null})");
    EXPECT_EQ(written(R"({"a":1})", v4), R"({"a":1})");
    EXPECT_EQ(written("[1]", v5), "[1]");
}

}  // namespace
}  // namespace lanyard::test
