// Every definition of every official schema.json: either it has a C++ type, whose samples are
// written, validated against the definition, read again and compared; or the table gives a reason.
#include "unit/wire/definition_checks.hpp"

namespace lanyard::test {
namespace {

struct Entry {
    Check check;
    std::string_view reason;  // if there is nothing to check
};

Entry no_type(std::string_view reason) {
    return {nullptr, reason};
}

constexpr auto envelope = "the JSON-RPC envelope: rpc/message.hpp";
constexpr auto sum = "a union of definitions that are checked one by one";
constexpr auto part = "a part that other definitions repeat";

std::map<std::string_view, Entry> const& entries() {
    using namespace methods;
    static std::map<std::string_view, Entry> const table{
        // Envelope, unions and parts.
        {"JSONRPCBatchRequest", no_type(envelope)},
        {"JSONRPCBatchResponse", no_type(envelope)},
        {"JSONRPCError", no_type(envelope)},
        {"JSONRPCErrorResponse", no_type(envelope)},
        {"JSONRPCMessage", no_type(envelope)},
        {"JSONRPCNotification", no_type(envelope)},
        {"JSONRPCRequest", no_type(envelope)},
        {"JSONRPCResponse", no_type(envelope)},
        {"JSONRPCResultResponse", no_type(envelope)},
        {"Error", no_type(envelope)},
        {"ParseError", no_type(envelope)},
        {"InvalidRequestError", no_type(envelope)},
        {"MethodNotFoundError", no_type(envelope)},
        {"InvalidParamsError", no_type(envelope)},
        {"InternalError", no_type(envelope)},
        {"Request", no_type(envelope)},
        {"Notification", no_type(envelope)},
        {"RequestId", no_type("RequestId, rpc/request_id.hpp")},
        {"ProgressToken", no_type("ProgressToken, rpc/request_id.hpp")},
        {"Cursor", no_type("std::string")},
        {"JSONValue", no_type("Json")},
        {"JSONObject", no_type("JsonObject")},
        {"JSONArray", no_type("JsonArray")},
        {"MetaObject", no_type("Meta")},
        {"NotificationMetaObject", no_type("Meta and wire::NotificationStamp")},
        {"RequestMetaObject", no_type("Meta and wire::RequestStamp")},
        {"ResultMetaObject", no_type("Meta and wire::ResultStamp")},
        {"SubscriptionsListenResultMetaObject", no_type("Meta and wire::ResultStamp")},
        {"ResultType", no_type("wire::ResultKind")},
        {"ClientNotification", no_type(sum)},
        {"ClientRequest", no_type(sum)},
        {"ClientResult", no_type(sum)},
        {"ServerNotification", no_type(sum)},
        {"ServerRequest", no_type(sum)},
        {"ServerResult", no_type(sum)},
        {"Annotated", no_type(part)},
        {"BaseMetadata", no_type(part)},
        {"Icons", no_type(part)},
        {"ResourceContents", no_type(part)},
        {"PaginatedRequest", no_type(part)},
        {"PaginatedResult", no_type(part)},
        {"CacheableResult", no_type(part)},
        {"ResourceRequestParams", no_type(part)},
        {"InputResponseRequestParams", no_type(part)},
        {"TaskAugmentedRequestParams", no_type(part)},
        {"RelatedTaskMetadata", no_type("Meta::related_task()")},
        {"HeaderMismatchError", no_type("has no data: wire/errors.hpp")},

        // Base.
        {"Role", {words<Role>(), {}}},
        {"LoggingLevel", {words<LoggingLevel>(), {}}},
        {"TaskStatus", {words<TaskStatus>(), {}}},
        {"Icon", {value<Icon>(), {}}},
        {"Annotations", {value<Annotations>(), {}}},
        {"Implementation", {value<Implementation>(), {}}},
        {"RequestParams", {params<Ping>(), {}}},
        {"NotificationParams", {notification_params<Initialized>(), {}}},
        {"PaginatedRequestParams", {params<ListTools>(), {}}},
        {"Result", {result<EmptyResult>(), {}}},
        {"EmptyResult", {result<EmptyResult>(), {}}},
        {"ClientCapabilities", {value<ClientCapabilities>(), {}}},
        {"ServerCapabilities", {value<ServerCapabilities>(), {}}},

        // Lifecycle.
        {"InitializeRequest", {request<Initialize>(), {}}},
        {"InitializeRequestParams", {params<Initialize>(), {}}},
        {"InitializeResult", {result<InitializeResult>(), {}}},
        {"InitializedNotification", {notification<Initialized>(), {}}},
        {"PingRequest", {request<Ping>(), {}}},
        {"DiscoverRequest", {request<Discover>(), {}}},
        {"DiscoverResult", {result<DiscoverResult>(), {}}},
        {"DiscoverResultResponse", {response<DiscoverResult>(), {}}},
        {"CancelledNotification", {notification<Cancelled>(), {}}},
        {"CancelledNotificationParams", {notification_params<Cancelled>(), {}}},
        {"ProgressNotification", {notification<Progress>(), {}}},
        {"ProgressNotificationParams", {notification_params<Progress>(), {}}},
        {"SetLevelRequest", {request<SetLevel>(), {}}},
        {"SetLevelRequestParams", {params<SetLevel>(), {}}},
        {"LoggingMessageNotification", {notification<LoggingMessage>(), {}}},
        {"LoggingMessageNotificationParams", {notification_params<LoggingMessage>(), {}}},
        {"SubscriptionFilter", {value<SubscriptionFilter>(), {}}},
        {"SubscriptionsListenRequest", {request<SubscriptionsListen>(), {}}},
        {"SubscriptionsListenRequestParams", {params<SubscriptionsListen>(), {}}},
        {"SubscriptionsListenResult",
         {[](DefinitionCheck& check) {
              check_result<SubscriptionsListenResult>(check, same, RequestId(7));
          },
          {}}},
        {"SubscriptionsListenResultResponse",
         {[](DefinitionCheck& check) {
              check_result<SubscriptionsListenResult>(
                  check,
                  [](std::string result) {
                      return R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
                  },
                  RequestId("l"));
          },
          {}}},
        {"SubscriptionsAcknowledgedNotification", {notification<SubscriptionsAcknowledged>(), {}}},
        {"SubscriptionsAcknowledgedNotificationParams",
         {notification_params<SubscriptionsAcknowledged>(), {}}},
        {"UnsupportedProtocolVersionError", {error<UnsupportedProtocolVersion>(-32022), {}}},
        {"MissingRequiredClientCapabilityError",
         {error<MissingRequiredClientCapability>(-32021), {}}},
        {"URLElicitationRequiredError", {error<UrlElicitationRequired>(-32042), {}}},

        // Content and tools.
        {"TextContent", {value<TextContent>(), {}}},
        {"ImageContent", {value<ImageContent>(), {}}},
        {"AudioContent", {value<AudioContent>(), {}}},
        {"ResourceLink", {value<ResourceLink>(), {}}},
        {"EmbeddedResource", {value<EmbeddedResource>(), {}}},
        {"ContentBlock", {value<ContentBlock>(), {}}},
        {"ToolUseContent", {value<ToolUseContent>(), {}}},
        {"ToolResultContent", {value<ToolResultContent>(), {}}},
        {"TextResourceContents", {value<TextResourceContents>(), {}}},
        {"BlobResourceContents", {value<BlobResourceContents>(), {}}},
        {"Tool", {value<Tool>(), {}}},
        {"ToolAnnotations", {value<ToolAnnotations>(), {}}},
        {"ToolExecution", {value<ToolExecution>(), {}}},
        {"ListToolsRequest", {request<ListTools>(), {}}},
        {"ListToolsResult", {result<ListToolsResult>(), {}}},
        {"ListToolsResultResponse", {response<ListToolsResult>(), {}}},
        {"CallToolRequest", {request<CallTool>(), {}}},
        {"CallToolRequestParams", {params<CallTool>(), {}}},
        {"CallToolResult", {result<CallToolResult>(), {}}},
        {"CallToolResultResponse", {response<CallToolResult>(), {}}},
        {"ToolListChangedNotification", {notification<ToolListChanged>(), {}}},

        // Resources.
        {"Resource", {value<Resource>(), {}}},
        {"ResourceTemplate", {value<ResourceTemplate>(), {}}},
        {"ListResourcesRequest", {request<ListResources>(), {}}},
        {"ListResourcesResult", {result<ListResourcesResult>(), {}}},
        {"ListResourcesResultResponse", {response<ListResourcesResult>(), {}}},
        {"ListResourceTemplatesRequest", {request<ListResourceTemplates>(), {}}},
        {"ListResourceTemplatesResult", {result<ListResourceTemplatesResult>(), {}}},
        {"ListResourceTemplatesResultResponse", {response<ListResourceTemplatesResult>(), {}}},
        {"ReadResourceRequest", {request<ReadResource>(), {}}},
        {"ReadResourceRequestParams", {params<ReadResource>(), {}}},
        {"ReadResourceResult", {result<ReadResourceResult>(), {}}},
        {"ReadResourceResultResponse", {response<ReadResourceResult>(), {}}},
        {"SubscribeRequest", {request<Subscribe>(), {}}},
        {"SubscribeRequestParams", {params<Subscribe>(), {}}},
        {"UnsubscribeRequest", {request<Unsubscribe>(), {}}},
        {"UnsubscribeRequestParams", {params<Unsubscribe>(), {}}},
        {"ResourceListChangedNotification", {notification<ResourceListChanged>(), {}}},
        {"ResourceUpdatedNotification", {notification<ResourceUpdated>(), {}}},
        {"ResourceUpdatedNotificationParams", {notification_params<ResourceUpdated>(), {}}},

        // Prompts and completion.
        {"Prompt", {value<Prompt>(), {}}},
        {"PromptArgument", {value<PromptArgument>(), {}}},
        {"PromptMessage", {value<PromptMessage>(), {}}},
        {"ListPromptsRequest", {request<ListPrompts>(), {}}},
        {"ListPromptsResult", {result<ListPromptsResult>(), {}}},
        {"ListPromptsResultResponse", {response<ListPromptsResult>(), {}}},
        {"GetPromptRequest", {request<GetPrompt>(), {}}},
        {"GetPromptRequestParams", {params<GetPrompt>(), {}}},
        {"GetPromptResult", {result<GetPromptResult>(), {}}},
        {"GetPromptResultResponse", {response<GetPromptResult>(), {}}},
        {"PromptListChangedNotification", {notification<PromptListChanged>(), {}}},
        {"PromptReference", {value<PromptReference>(), {}}},
        {"ResourceReference", {value<ResourceTemplateReference>(), {}}},
        {"ResourceTemplateReference", {value<ResourceTemplateReference>(), {}}},
        {"CompleteRequest", {request<Complete>(), {}}},
        {"CompleteRequestParams", {params<Complete>(), {}}},
        {"CompleteResult", {result<CompleteResult>(), {}}},
        {"CompleteResultResponse", {response<CompleteResult>(), {}}},

        // Requests of servers to clients.
        {"ModelHint", {value<ModelHint>(), {}}},
        {"ModelPreferences", {value<ModelPreferences>(), {}}},
        {"ToolChoice", {value<ToolChoice>(), {}}},
        {"SamplingMessage", {value<SamplingMessage>(), {}}},
        {"SamplingMessageContentBlock", {value<SamplingMessageContentBlock>(), {}}},
        {"CreateMessageRequest", {embedded_request<CreateMessage>(), {}}},
        {"CreateMessageRequestParams", {value<CreateMessageParams>(), {}}},
        {"CreateMessageResult", {embedded_result<CreateMessageResult>(), {}}},
        {"Root", {value<Root>(), {}}},
        {"ListRootsRequest", {embedded_request<ListRoots>(), {}}},
        {"ListRootsResult", {embedded_result<ListRootsResult>(), {}}},
        {"RootsListChangedNotification", {notification<RootsListChanged>(), {}}},
        {"StringSchema", {value<StringSchema>(), {}}},
        {"NumberSchema", {value<NumberSchema>(), {}}},
        {"BooleanSchema", {value<BooleanSchema>(), {}}},
        {"EnumSchema", no_type(sum)},
        {"SingleSelectEnumSchema", no_type(sum)},
        {"MultiSelectEnumSchema", no_type(sum)},
        {"UntitledSingleSelectEnumSchema", no_type("SingleSelectEnumSchema without titles")},
        {"TitledSingleSelectEnumSchema", no_type("SingleSelectEnumSchema with titles")},
        {"UntitledMultiSelectEnumSchema", no_type("MultiSelectEnumSchema without titles")},
        {"TitledMultiSelectEnumSchema", no_type("MultiSelectEnumSchema with titles")},
        {"LegacyTitledEnumSchema", no_type("read as SingleSelectEnumSchema")},
        {"PrimitiveSchemaDefinition", {value<PrimitiveSchemaDefinition>(), {}}},
        {"ElicitRequest", {embedded_request<Elicit>(), {}}},
        {"ElicitRequestFormParams", {value<ElicitFormParams>(), {}}},
        {"ElicitRequestURLParams", {value<ElicitUrlParams>(), {}}},
        {"ElicitRequestParams", {value<ElicitParams>(), {}}},
        {"ElicitResult", {embedded_result<ElicitResult>(), {}}},
        {"ElicitationCompleteNotification", {notification<ElicitationComplete>(), {}}},
        {"InputRequest", {value<InputRequest>(), {}}},
        {"InputRequests", {value<InputRequests>(), {}}},
        {"InputResponse", {value<InputResponse>(), {}}},
        {"InputResponses", {value<InputResponses>(), {}}},
        {"InputRequiredResult", {result<InputRequiredResult>(), {}}},

        // Tasks of 2025-11-25.
        {"Task", {value<TaskInfo>(), {}}},
        {"TaskMetadata", {value<TaskMetadata>(), {}}},
        {"CreateTaskResult", {result<CreateTaskResult>(), {}}},
        {"GetTaskRequest", {request<GetTask>(), {}}},
        {"GetTaskResult", {result<GetTaskResult>(), {}}},
        {"GetTaskPayloadRequest", {request<GetTaskPayload>(), {}}},
        {"GetTaskPayloadResult", {result<GetTaskPayloadResult>(), {}}},
        {"ListTasksRequest", {request<ListTasks>(), {}}},
        {"ListTasksResult", {result<ListTasksResult>(), {}}},
        {"CancelTaskRequest", {request<CancelTask>(), {}}},
        {"CancelTaskResult", {result<CancelTaskResult>(), {}}},
        {"TaskStatusNotification", {notification<TaskStatusChanged>(), {}}},
        {"TaskStatusNotificationParams", {notification_params<TaskStatusChanged>(), {}}},
    };
    return table;
}

class SchemaRoundTrip : public testing::TestWithParam<Version> {};

TEST_P(SchemaRoundTrip, every_definition_is_covered_and_everything_we_write_is_valid) {
    if (!data_folder("mcp-schema")) LANYARD_SKIP_WITHOUT_DATA("mcp-schema");
    OfficialSchema const schema(GetParam());
    int round_trips = 0;
    for (auto const& definition : schema.definitions()) {
        SCOPED_TRACE(std::string(to_string(GetParam())) + " " + std::string(definition.key()));
        auto const entry = entries().find(definition.key());
        if (entry == entries().end()) {
            ADD_FAILURE() << "the definition has neither a type nor a reason";
            continue;
        }
        if (!entry->second.check) continue;
        DefinitionCheck check(schema, definition.key());
        entry->second.check(check);
        EXPECT_GT(check.round_trips, 0);
        round_trips += check.round_trips;
    }
    std::cout << "COUNT: schema round trips " << to_string(GetParam()) << " " << round_trips
              << "\n";
}

INSTANTIATE_TEST_SUITE_P(Revisions, SchemaRoundTrip, testing::ValuesIn(all_versions),
                         [](auto const& info) {
                             std::string name(to_string(info.param));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

// Expects that some revision carries each sample without loss, so that no member is missing.
template <class T>
void expect_whole() {
    std::size_t index = 0;
    for (auto const& sample : samples<T>()) {
        bool whole = false;
        for (auto const version : all_versions) {
            if (!in_range(sample, version)) continue;
            auto const decoded = decode_text<T>(to_json_text(sample.value, {version}), version);
            whole = whole || (decoded && *decoded == sample.value);
        }
        EXPECT_TRUE(whole) << "sample " << index << " of " << testing::internal::GetTypeName<T>();
        ++index;
    }
}

template <class... Ts>
void expect_all_whole() {
    (expect_whole<Ts>(), ...);
}

TEST(RoundTrip, every_sample_round_trips_unchanged_in_some_revision) {
    expect_all_whole<Icon, Annotations, Implementation, EmptyParams, EmptyResult, PaginatedParams,
                     ClientCapabilities, ServerCapabilities, InitializeParams, InitializeResult,
                     DiscoverResult, SubscriptionFilter, SubscriptionsListenParams,
                     SubscriptionsAcknowledgedParams, SetLevelParams, LoggingMessageParams,
                     ProgressParams, CancelledParams, UnsupportedProtocolVersion,
                     MissingRequiredClientCapability, UrlElicitationRequired>();
    expect_all_whole<TextContent, ImageContent, AudioContent, Resource, ResourceLink,
                     TextResourceContents, BlobResourceContents, EmbeddedResource, ContentBlock,
                     ToolUseContent, ToolResultContent, ToolAnnotations, ToolExecution, Tool,
                     ListToolsResult, CallToolParams, CallToolResult, ResourceTemplate,
                     ListResourcesResult, ListResourceTemplatesResult, ResourceParams,
                     ReadResourceParams, ReadResourceResult, PromptArgument, Prompt, PromptMessage,
                     ListPromptsResult, GetPromptParams, GetPromptResult, PromptReference,
                     ResourceTemplateReference, CompleteParams, CompleteResult>();
    expect_all_whole<StringSchema, NumberSchema, BooleanSchema, PrimitiveSchemaDefinition,
                     ElicitFormParams, ElicitUrlParams, ElicitParams, ElicitResult,
                     ElicitationCompleteParams, ModelHint, ModelPreferences, ToolChoice,
                     SamplingMessageContentBlock, SamplingMessage, CreateMessageParams,
                     CreateMessageResult, Root, ListRootsResult, InputRequest, InputRequests,
                     InputResponse, InputResponses, InputRequiredResult, TaskMetadata, TaskInfo,
                     CreateTaskResult, TaskParams, GetTaskResult, TaskStatusParams,
                     GetTaskPayloadResult, ListTasksResult, UpdateTaskParams, CancelTaskResult>();
}

TEST(SchemaRoundTrip, every_entry_is_a_definition_of_the_schema) {
    if (!data_folder("mcp-schema")) LANYARD_SKIP_WITHOUT_DATA("mcp-schema");
    std::set<std::string> known;
    for (auto const version : all_versions) {
        OfficialSchema const schema(version);
        for (auto const& definition : schema.definitions()) known.emplace(definition.key());
    }
    for (auto const& [name, entry] : entries()) {
        EXPECT_TRUE(known.contains(std::string(name))) << name;
    }
}

}  // namespace
}  // namespace lanyard::test
