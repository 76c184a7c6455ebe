// Features that a revision lacks: how they are written for it, and what must not be sent.
#include "wire/legacy.hpp"

#include <gtest/gtest.h>

#include "wire/codec.hpp"

namespace lanyard::wire {
namespace {

constexpr auto v1 = Version::v2024_11_05;
constexpr auto v2 = Version::v2025_03_26;
constexpr auto v3 = Version::v2025_06_18;
constexpr auto v4 = Version::v2025_11_25;
constexpr auto v5 = Version::v2026_07_28;

template <class T>
std::string refusal(T const& value, Version version) {
    auto const allowed = check_expressible(value, version);
    if (allowed) return "allowed";
    EXPECT_TRUE(allowed.error().is(Errc::unsupported_in_era) ||
                allowed.error().is(Errc::invalid_argument));
    return allowed.error().message();
}

RawJson raw(char const* text) {
    return RawJson::trusted(text);
}

template <class T>
std::string written(T const& result, Version version) {
    std::string text;
    json::Writer writer(text);
    EXPECT_TRUE(encode_result(writer, result, {.version = version}));
    return text;
}

TEST(Degraded, audio_is_text_before_2025_03_26) {
    AudioContent const audio{.data = "AAAA", .mime_type = "audio/wav"};
    CallToolResult const result{.content = {TextContent{.text = "t"}, audio}};
    EXPECT_EQ(written(result, v1),
              R"({"content":[{"type":"text","text":"t"},)"
              R"({"type":"text","text":"[audio of type audio/wav is left out]"}]})");
    EXPECT_EQ(written(CallToolResult{.content = {audio}}, v2),
              R"({"content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]})");
    EXPECT_EQ(written(GetPromptResult{.messages = {{.content = audio}}}, v1),
              R"({"messages":[{"role":"user","content":)"
              R"({"type":"text","text":"[audio of type audio/wav is left out]"}}]})");
    EXPECT_EQ(written(CreateMessageResult{.content = {audio}, .model = "m"}, v1),
              R"({"role":"assistant","content":)"
              R"({"type":"text","text":"[audio of type audio/wav is left out]"},"model":"m"})");
}

TEST(Degraded, resource_links_are_text_before_2025_06_18) {
    ResourceLink link{.resource = {.uri = "file:///a.csv", .name = "a"}};
    EXPECT_EQ(written(CallToolResult{.content = {link}}, v2),
              R"x({"content":[{"type":"text","text":"Resource: a (file:///a.csv)"}]})x");
    link.resource.title = "A";
    link.resource.mime_type = "text/csv";
    link.resource.description = "Numbers";
    link.resource.annotations = Annotations{.priority = 1};
    EXPECT_EQ(written(GetPromptResult{.messages = {{.content = link}}}, v1),
              R"({"messages":[{"role":"user","content":{"type":"text",)"
              R"("text":"Resource: A (file:///a.csv, text/csv)\nNumbers",)"
              R"("annotations":{"priority":1}}}]})");
    EXPECT_NE(written(CallToolResult{.content = {link}}, v3).find("resource_link"),
              std::string::npos);
}

TEST(Degraded, several_texts_are_one_before_2025_11_25) {
    CreateMessageResult const two{.content = {TextContent{.text = "a"}, TextContent{.text = "b"}},
                                  .model = "m"};
    EXPECT_EQ(written(two, v3),
              R"({"role":"assistant","content":{"type":"text","text":"a\nb"},"model":"m"})");
    EXPECT_EQ(written(CreateMessageResult{.model = "m"}, v3),
              R"({"role":"assistant","content":{"type":"text","text":""},"model":"m"})");
    EXPECT_NE(written(two, v4).find(R"("content":[)"), std::string::npos);
    // Content with a tool use stays an array: only servers that support arrays send tools.
    CreateMessageResult const use{.content = {TextContent{.text = "a"}, ToolUseContent{}},
                                  .model = "m"};
    EXPECT_NE(written(use, v3).find(R"("content":[)"), std::string::npos);
}

TEST(Degraded, structured_content_is_sent_in_every_revision) {
    CallToolResult const result{.content = {TextContent{.text = "t"}},
                                .structured_content = raw(R"({"a":1})")};
    for (auto const version : {v1, v2, v3, v4}) {
        EXPECT_EQ(written(result, version),
                  R"({"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}})");
    }
    ListToolsResult const list{.tools = {{.name = "t",
                                          .input_schema = raw(R"({"type":"object"})"),
                                          .output_schema = raw(R"({"type":"object"})")}}};
    EXPECT_NE(written(list, v1).find(R"("outputSchema":{"type":"object"})"), std::string::npos);
    // Output that is not an object is wrapped in one.
    EXPECT_EQ(written(CallToolResult{.content = {TextContent{.text = "[1]"}},
                                     .structured_content = raw("[1]")},
                      v1),
              R"({"content":[{"type":"text","text":"[1]"}],"structuredContent":{"result":[1]}})");
}

TEST(Expressible, tasks_exist_only_in_2025_11_25) {
    CallToolParams const call{.name = "t", .task = TaskMetadata{}};
    EXPECT_EQ(refusal(call, v3), "protocol version 2025-06-18 has no task-augmented requests");
    EXPECT_EQ(refusal(call, v4), "allowed");
    EXPECT_EQ(refusal(call, v5), "protocol version 2026-07-28 has no task-augmented requests");
    EXPECT_NE(refusal(CreateMessageParams{.task = TaskMetadata{}}, v3), "allowed");
    EXPECT_NE(refusal(ElicitParams(ElicitFormParams{.task = TaskMetadata{}}), v3), "allowed");
    EXPECT_NE(refusal(ElicitParams(ElicitUrlParams{.task = TaskMetadata{}}), v5), "allowed");
}

TEST(Expressible, retries_need_2026_07_28) {
    InputRetry const retry{.request_state = "s"};
    EXPECT_EQ(refusal(CallToolParams{.retry = retry}, v4),
              "protocol version 2025-11-25 has no input_required results");
    EXPECT_NE(refusal(GetPromptParams{.retry = retry}, v4), "allowed");
    EXPECT_NE(refusal(ReadResourceParams{.retry = retry}, v4), "allowed");
    EXPECT_EQ(refusal(CallToolParams{.retry = retry}, v5), "allowed");
    InputRetry const answers{.input_responses = {{"a", ElicitResult{}}}};
    EXPECT_EQ(refusal(CallToolParams{.retry = answers}, v5), "allowed");
}

TEST(Expressible, questions_do_not_depend_on_the_revision) {
    CreateMessageParams const tools{
        .messages = {{.content = {ToolUseContent{}}}, {.content = {ToolResultContent{}}}},
        .tools = {{.name = "t", .input_schema = raw(R"({"type":"object"})")}},
        .tool_choice = ToolChoice{}};
    ElicitParams const form = ElicitFormParams{
        .requested_schema = {
            .fields = {{.name = "m", .schema = MultiSelectEnumSchema{.options = {{"a"}}}}}}};
    ElicitParams const url = ElicitUrlParams{.url = "https://example.com"};
    ElicitResult const list{.action = ElicitAction::accept,
                            .content = JsonObject{{"a", "s"}, {"m", {"a"}}}};
    for (auto const version : {v1, v2, v3, v4, v5}) {
        EXPECT_EQ(refusal(tools, version), "allowed");
        EXPECT_EQ(refusal(form, version), "allowed");
        EXPECT_EQ(refusal(url, version), "allowed");
        EXPECT_EQ(refusal(list, version), "allowed");
        EXPECT_EQ(refusal(ElicitResult{}, version), "allowed");
    }
    CreateMessageParams const array{
        .messages = {{.content = {ToolResultContent{.structured_content = raw("[]")}}}}};
    EXPECT_NE(refusal(array, v4), "allowed");
    EXPECT_EQ(refusal(array, v5), "allowed");
}

TEST(Rule, EL60_only_accepted_answers_have_content) {
    ElicitResult const declined{.action = ElicitAction::decline, .content = JsonObject{}};
    EXPECT_EQ(refusal(declined, v4), "only an accepted elicitation has content");
}

TEST(Rule, EL15_bad_urls_are_not_sent) {
    EXPECT_EQ(refusal(ElicitParams(ElicitUrlParams{.url = "javascript:alert(1)"}), v4),
              "the elicitation's URL must be an http: or https: URL with a host");
}

TEST(Rule, EL59_bad_forms_are_not_sent) {
    ElicitParams const twice =
        ElicitFormParams{.requested_schema = {.fields = {{.name = "a"}, {.name = "a"}}}};
    EXPECT_EQ(refusal(twice, v4), "/properties: names the field \"a\" twice");
}

TEST(Rule, T04_tools_without_schema_are_not_sent) {
    ListToolsResult const list{.tools = {{.name = "t"}}};
    EXPECT_EQ(refusal(list, v4), "the tool \"t\" has no input schema");
    EXPECT_EQ(refusal(CreateMessageParams{.tools = {{.name = "t"}}}, v4),
              "the tool \"t\" has no input schema");
}

TEST(Rule, CO14_long_completions_are_not_sent) {
    CompleteResult result;
    result.completion.values.resize(101);
    EXPECT_EQ(refusal(result, v4), "/values: must hold at most 100 values, got 101");
    result.completion.values.resize(100);
    EXPECT_EQ(refusal(result, v4), "allowed");
}

TEST(Rule, C04_cancellations_name_their_request) {
    CancelledParams const nameless{.reason = "r"};
    for (auto const version : {v1, v2, v3, v5}) {
        EXPECT_EQ(refusal(nameless, version), "a cancellation must name its request");
    }
    EXPECT_EQ(refusal(nameless, v4), "allowed");
    EXPECT_EQ(refusal(CancelledParams{.request_id = 0}, v1), "allowed");
}

TEST(Rule, M72_input_required_has_requests_or_a_state) {
    EXPECT_EQ(refusal(InputRequiredResult{}, v5),
              "an input_required result needs input requests or a request state");
    EXPECT_EQ(refusal(InputRequiredResult{.request_state = ""}, v5), "allowed");
    EXPECT_EQ(refusal(InputRequiredResult{.request_state = ""}, v4),
              "protocol version 2025-11-25 has no input_required results");
    InputRequiredResult const bad{
        .input_requests = {{"k", ElicitParams(ElicitUrlParams{.url = "x"})}}};
    EXPECT_NE(refusal(bad, v5), "allowed");
    InputRequiredResult const roots{.input_requests = {{"k", ListRootsParams{}}}};
    EXPECT_EQ(refusal(roots, v5), "allowed");
}

TEST(Rule, M106_tasks_have_the_members_that_their_status_requires) {
    GetTaskResult result;
    EXPECT_EQ(refusal(result, v5), "allowed");
    result.task.status = TaskStatus::input_required;
    EXPECT_EQ(refusal(result, v5), "a task that requires input must say which");
    EXPECT_EQ(refusal(result, v4), "allowed");
    result.task.status = TaskStatus::completed;
    EXPECT_EQ(refusal(result, v5), "a completed task must have a result");
    result.task.status = TaskStatus::failed;
    EXPECT_EQ(refusal(result, v5), "a failed task must have an error");
    TaskStatusParams status;
    status.task.status = TaskStatus::failed;
    EXPECT_EQ(refusal(status, v5), "a failed task must have an error");
    UpdateTaskParams const update{.input_responses = {{"k", ElicitResult{}}}};
    EXPECT_EQ(refusal(update, v5), "allowed");
}

TEST(Encoding, errors_of_encoding_reach_the_caller) {
    std::string text;
    json::Writer writer(text);
    auto const refused =
        encode_result(writer, InputRequiredResult{.request_state = ""}, {.version = v1});
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::unsupported_in_era));
    EXPECT_TRUE(text.empty());
}

template <class T>
std::string params_error(std::string_view json, Version version) {
    json::Document document;
    auto const params = decode_params<T>(*document.parse(json), version);
    return params ? "accepted" : params.error().to_string();
}

template <class T>
std::string result_error(std::string_view json, Version version) {
    json::Document document;
    auto const result = decode_result<T>(*document.parse(json), version);
    return result ? "accepted" : result.error().to_string();
}

TEST(Decoding, every_content_kind_is_read_in_every_revision) {
    for (auto const version : {v1, v2, v3, v4, v5}) {
        EXPECT_EQ(result_error<CallToolResult>(
                      R"({"content":[{"type":"audio","data":"","mimeType":"audio/wav"},)"
                      R"({"type":"resource_link","uri":"a:b","name":"n"}]})",
                      version),
                  "accepted");
        EXPECT_EQ(result_error<CreateMessageResult>(
                      R"({"role":"assistant","model":"m","content":[{"type":"text","text":"x"},)"
                      R"({"type":"tool_use","id":"1","name":"t","input":{}}]})",
                      version),
                  "accepted");
    }
}

TEST(Decoding, structured_content_is_read_in_every_revision) {
    for (auto const version : {v1, v2, v3, v4, v5}) {
        json::Document document;
        auto const result = decode_result<CallToolResult>(
            *document.parse(R"({"content":[],"structuredContent":{"a":1}})"), version);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->structured_content.text(), R"({"a":1})");
    }
}

TEST(Decoding, content_must_have_a_type) {
    EXPECT_EQ(result_error<CallToolResult>(R"({"content":[{"type":"video"}]})", v5), "accepted");
    EXPECT_EQ(result_error<CallToolResult>(R"({"content":[{"type":7}]})", v5),
              "/content/0/type: must be one of \"text\", \"image\", \"audio\", \"resource_link\", "
              "\"resource\", got 7");
    EXPECT_EQ(result_error<CallToolResult>(R"({"content":[{}]})", v5),
              "/content/0: missing required property \"type\"");
    EXPECT_EQ(result_error<CallToolResult>(R"({"content":["x"]})", v5),
              "/content/0: must be an object, got a string");
}

TEST(Rule, X10_images_and_audio_need_data_and_type) {
    EXPECT_EQ(result_error<CallToolResult>(R"({"content":[{"type":"image","data":""}]})", v4),
              "/content/0: missing required property \"mimeType\"");
}

TEST(Rule, R12_contents_are_text_or_blob) {
    EXPECT_EQ(result_error<ReadResourceResult>(R"({"contents":[{"uri":"a:b","text":"t"}]})", v4),
              "accepted");
    EXPECT_EQ(result_error<ReadResourceResult>(R"({"contents":[{"uri":"a:b"}]})", v4),
              "/contents/0: must have one of \"text\" and \"blob\"");
    EXPECT_EQ(
        result_error<ReadResourceResult>(R"({"contents":[{"uri":"a:b","text":"","blob":""}]})", v4),
        "/contents/0: must have one of \"text\" and \"blob\"");
    EXPECT_EQ(result_error<ReadResourceResult>(R"({"contents":[1]})", v4),
              "/contents/0: must be an object, got an integer");
    EXPECT_EQ(result_error<ReadResourceResult>(R"({"contents":[{"uri":"a:b","blob":7}]})", v4),
              "/contents/0/blob: must be a string, got an integer");
}

TEST(Rule, T27_schemas_of_received_tools_are_objects) {
    auto const tool = [](std::string_view members, Version version) {
        return result_error<ListToolsResult>(
            R"({"tools":[{"name":"t")" + std::string(members) + "}]}", version);
    };
    EXPECT_EQ(tool(R"(,"inputSchema":{"type":"object"})", v1), "accepted");
    EXPECT_EQ(tool("", v1), "/tools/0: missing required property \"inputSchema\"");
    EXPECT_EQ(tool(R"(,"inputSchema":null)", v1),
              "/tools/0/inputSchema: must be an object, got null");
    EXPECT_EQ(tool(R"(,"inputSchema":{})", v1),
              "/tools/0/inputSchema: must be a JSON Schema with \"type\": \"object\"");
    auto const array = R"(,"inputSchema":{"type":"object"},"outputSchema":{"type":"array"})";
    EXPECT_EQ(tool(array, v4),
              "/tools/0/outputSchema: must be a JSON Schema with \"type\": \"object\"");
    EXPECT_EQ(tool(array, v5), "accepted");
}

TEST(Rule, T27_structured_content_is_an_object_before_2026_07_28) {
    auto const list = R"({"content":[],"structuredContent":[1]})";
    EXPECT_EQ(result_error<CallToolResult>(list, v4),
              "/structuredContent: must be an object, got an array");
    EXPECT_EQ(result_error<CallToolResult>(list, v5), "accepted");
}

TEST(Decoding, arguments_are_an_object) {
    EXPECT_EQ(params_error<CallToolParams>(R"({"name":"t","arguments":[]})", v4),
              "/arguments: must be an object, got an array");
}

TEST(Rule, PR11_prompt_arguments_are_strings) {
    EXPECT_EQ(params_error<GetPromptParams>(R"({"name":"p","arguments":{"a":1}})", v4),
              "/arguments/a: must be a string, got an integer");
}

TEST(Decoding, sampling_with_tools_is_read_in_every_revision) {
    auto const tools = R"({"messages":[],"maxTokens":1,"tools":[],"toolChoice":{"mode":"auto"}})";
    auto const array =
        R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"maxTokens":1})";
    for (auto const version : {v1, v3, v4}) {
        EXPECT_EQ(params_error<CreateMessageParams>(tools, version), "accepted");
        EXPECT_EQ(params_error<CreateMessageParams>(array, version), "accepted");
    }
}

TEST(Rule, IM13_priorities_are_between_0_and_1) {
    EXPECT_NE(result_error<CallToolResult>(
                  R"({"content":[{"type":"text","text":"","annotations":{"priority":1.5}}]})", v4),
              "accepted");
}

TEST(Rule, C04_received_cancellations_name_their_request) {
    json::Document document;
    auto const nameless = *document.parse("{}");
    EXPECT_FALSE(decode_notification<CancelledParams>(nameless, v3));
    EXPECT_TRUE(decode_notification<CancelledParams>(nameless, v4));
    EXPECT_FALSE(decode_notification<CancelledParams>(nameless, v5));
}

TEST(Rule, X09_tasks_have_a_ttl) {
    auto const task = [](std::string_view ttl) {
        return R"({"taskId":"t","status":"working","createdAt":"a","lastUpdatedAt":"b")" +
               std::string(ttl) + "}";
    };
    EXPECT_EQ(result_error<GetTaskResult>(task(""), v4), "missing required property \"ttl\"");
    EXPECT_EQ(result_error<GetTaskResult>(task(R"(,"ttl":null)"), v4), "accepted");
    EXPECT_EQ(result_error<GetTaskResult>(task(R"(,"ttl":null)"), v5),
              "missing required property \"ttlMs\"");
    EXPECT_EQ(result_error<GetTaskResult>(task(R"(,"ttlMs":5)"), v5), "accepted");
    EXPECT_EQ(result_error<GetTaskResult>(task(R"(,"ttlMs":"5")"), v5),
              "/ttlMs: must be an integer, got a string");
}

TEST(Rule, M106_received_tasks_have_the_members_that_their_status_requires) {
    auto const task = [](std::string_view status, std::string_view more = "") {
        return R"({"taskId":"t","createdAt":"a","lastUpdatedAt":"b","ttlMs":null,"status":")" +
               std::string(status) + "\"" + std::string(more) + "}";
    };
    EXPECT_EQ(result_error<GetTaskResult>(task("cancelled"), v5), "accepted");
    EXPECT_EQ(result_error<GetTaskResult>(task("completed"), v5),
              "missing required property \"result\"");
    EXPECT_EQ(result_error<GetTaskResult>(task("completed", R"(,"result":{})"), v5), "accepted");
    EXPECT_EQ(result_error<GetTaskResult>(task("input_required"), v5),
              "missing required property \"inputRequests\"");
    EXPECT_EQ(result_error<GetTaskResult>(task("failed"), v5),
              "missing required property \"error\"");
    for (auto const* error :
         {R"(,"error":{})", R"(,"error":{"code":1})", R"(,"error":{"code":"1","message":"m"})",
          R"(,"error":{"code":1,"message":2})"}) {
        EXPECT_EQ(result_error<GetTaskResult>(task("failed", error), v5),
                  "/error: must have an integer \"code\" and a string \"message\"");
    }
    EXPECT_EQ(
        result_error<GetTaskResult>(task("failed", R"(,"error":{"code":1,"message":"m"})"), v5),
        "accepted");
    EXPECT_NE(result_error<GetTaskResult>(task("paused"), v5), "accepted");
}

TEST(Rule, K36_task_payloads_are_whole_results) {
    EXPECT_EQ(result_error<GetTaskPayloadResult>("[]", v4), "must be an object, got an array");
}

}  // namespace
}  // namespace lanyard::wire
