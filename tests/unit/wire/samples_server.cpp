// Samples of content, tools, resources, prompts and completion.
#include "unit/wire/samples.hpp"

namespace lanyard::test {
namespace {

Annotations full_annotations() {
    return {.audience = {Role::assistant}, .priority = 1, .last_modified = "2025-01-12T15:00:58Z"};
}

std::vector<Icon> icons() {
    return {{.src = "https://example.com/i.png", .sizes = {"any"}}};
}

CacheHint hint() {
    return {std::chrono::milliseconds(60'000), CacheScope::public_};
}

InputRetry retry() {
    return {.input_responses = {{"a", ElicitResult{.action = ElicitAction::decline}},
                                {"b", ListRootsResult{}}},
            .request_state = "state"};
}

}  // namespace

template <>
std::vector<Sample<TextContent>> samples<TextContent>() {
    return {{{.text = ""}},
            {{.text = "a\n\"\u00e4", .annotations = full_annotations(), .meta = some_meta()}}};
}

template <>
std::vector<Sample<ImageContent>> samples<ImageContent>() {
    return {{{.data = "AAAA", .mime_type = "image/png"}},
            {{.data = "AAAA",
              .mime_type = "image/png",
              .annotations = full_annotations(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<AudioContent>> samples<AudioContent>() {
    return {{{.data = "AAAA", .mime_type = "audio/wav"}},
            {{.data = "AAAA",
              .mime_type = "audio/wav",
              .annotations = full_annotations(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<Resource>> samples<Resource>() {
    return {{{.uri = "file:///a", .name = "a"}},
            {{.uri = "file:///a",
              .name = "a",
              .title = "t",
              .description = "d",
              .mime_type = "text/plain",
              .size = 7,
              .icons = icons(),
              .annotations = full_annotations(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<ResourceLink>> samples<ResourceLink>() {
    return {{{samples<Resource>()[0].value}}, {{samples<Resource>()[1].value}}};
}

template <>
std::vector<Sample<TextResourceContents>> samples<TextResourceContents>() {
    return {
        {{.uri = "file:///a", .text = ""}},
        {{.uri = "file:///a", .mime_type = "text/plain", .text = "t", .meta = some_meta()}},
    };
}

template <>
std::vector<Sample<BlobResourceContents>> samples<BlobResourceContents>() {
    return {
        {{.uri = "file:///a", .blob = ""}},
        {{.uri = "file:///a", .mime_type = "x/y", .blob = "AAAA", .meta = some_meta()}},
    };
}

template <>
std::vector<Sample<EmbeddedResource>> samples<EmbeddedResource>() {
    return {{{.resource = samples<TextResourceContents>()[1].value}},
            {{.resource = samples<BlobResourceContents>()[1].value,
              .annotations = full_annotations(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<ContentBlock>> samples<ContentBlock>() {
    return {{samples<TextContent>()[1].value},
            {samples<ImageContent>()[1].value},
            {samples<AudioContent>()[1].value, v2},
            {samples<ResourceLink>()[1].value, v3},
            {samples<EmbeddedResource>()[1].value}};
}

template <>
std::vector<Sample<ToolUseContent>> samples<ToolUseContent>() {
    return {{{.id = "1", .name = "t", .input = raw("{}")}},
            {{.id = "1", .name = "t", .input = raw(R"({"a":[1,2]})"), .meta = some_meta()}}};
}

template <>
std::vector<Sample<ToolResultContent>> samples<ToolResultContent>() {
    ToolResultContent full{.tool_use_id = "1",
                           .structured_content = raw(R"({"a":1})"),
                           .is_error = true,
                           .meta = some_meta()};
    for (auto& block : samples<ContentBlock>()) full.content.push_back(block.value);
    return {{{.tool_use_id = "1"}},
            {full},
            {{.tool_use_id = "1", .structured_content = raw("[1]")}, v5}};
}

template <>
std::vector<Sample<ToolAnnotations>> samples<ToolAnnotations>() {
    return {{{}},
            {{.title = "t",
              .read_only_hint = true,
              .destructive_hint = false,
              .idempotent_hint = true,
              .open_world_hint = false}}};
}

template <>
std::vector<Sample<ToolExecution>> samples<ToolExecution>() {
    return {{{}}, {{.task_support = TaskSupport::required}}};
}

template <>
std::vector<Sample<Tool>> samples<Tool>() {
    return {
        {{.name = "t", .input_schema = raw(R"({"type":"object"})")}},
        {{.name = "t",
          .title = "Title",
          .description = "d",
          .input_schema =
              raw(R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})"),
          .output_schema = raw(R"({"type":"object","properties":{"b":{"type":"number"}}})"),
          .annotations = samples<ToolAnnotations>()[1].value,
          .execution = samples<ToolExecution>()[1].value,
          .icons = icons(),
          .meta = some_meta()}},
        {{.name = "array",
          .input_schema = raw(R"({"type":"object"})"),
          .output_schema = raw(R"({"type":"array","items":{"type":"integer"}})")}},
    };
}

template <>
std::vector<Sample<ListToolsResult>> samples<ListToolsResult>() {
    auto modern = samples<Tool>()[1].value;
    modern.execution.reset();
    return {{{}},
            {{.tools = {samples<Tool>()[0].value, samples<Tool>()[1].value},
              .next_cursor = "c",
              .meta = some_meta()}},
            {{.tools = {modern, samples<Tool>()[2].value}, .cache = hint()}}};
}

template <>
std::vector<Sample<CallToolParams>> samples<CallToolParams>() {
    return {{{.name = "t"}},
            {{.name = "t", .arguments = raw(R"({"a":{"b":[1.5,null]}})"), .meta = request_meta()}},
            {{.name = "t", .task = TaskMetadata{}}, v4, v4},
            {{.name = "t", .task = TaskMetadata{std::chrono::milliseconds(5)}}, v4, v4},
            {{.name = "t", .retry = retry()}, v5},
            {{.name = "t", .retry = {.request_state = ""}}, v5}};
}

template <>
std::vector<Sample<CallToolResult>> samples<CallToolResult>() {
    CallToolResult full{
        .structured_content = raw(R"({"a":1})"), .is_error = true, .meta = some_meta()};
    for (auto& block : samples<ContentBlock>()) full.content.push_back(block.value);
    auto early = full;
    early.content = {samples<TextContent>()[1].value, samples<EmbeddedResource>()[0].value};
    auto second = early;
    second.content.emplace_back(samples<AudioContent>()[0].value);
    return {{{}},
            {early},
            {second, v2},
            {full, v3},
            {{.structured_content = raw(R"({"a":1})")}, v3},
            {{.content = {TextContent{.text = "[1]"}}, .structured_content = raw("[1]")}},
            {{.structured_content = raw("[1]")}, v3},
            {{.structured_content = raw("null")}, v3}};
}

template <>
std::vector<Sample<ResourceTemplate>> samples<ResourceTemplate>() {
    return {{{.uri_template = "file:///{a}", .name = "a"}},
            {{.uri_template = "file:///{a}",
              .name = "a",
              .title = "t",
              .description = "d",
              .mime_type = "text/plain",
              .icons = icons(),
              .annotations = full_annotations(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<ListResourcesResult>> samples<ListResourcesResult>() {
    return {{{}},
            {{.resources = {samples<Resource>()[0].value, samples<Resource>()[1].value},
              .next_cursor = "",
              .cache = hint(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<ListResourceTemplatesResult>> samples<ListResourceTemplatesResult>() {
    return {{{}},
            {{.resource_templates = {samples<ResourceTemplate>()[1].value},
              .next_cursor = "c",
              .cache = hint(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<ResourceParams>> samples<ResourceParams>() {
    return {{{.uri = "file:///a"}}, {{.uri = "file:///a", .meta = request_meta()}}};
}

template <>
std::vector<Sample<ReadResourceParams>> samples<ReadResourceParams>() {
    return {{{.uri = "file:///a"}},
            {{.uri = "file:///a", .meta = request_meta()}},
            {{.uri = "file:///a", .retry = retry()}, v5}};
}

template <>
std::vector<Sample<ReadResourceResult>> samples<ReadResourceResult>() {
    return {{{}},
            {{.contents = {samples<TextResourceContents>()[1].value,
                           samples<BlobResourceContents>()[1].value},
              .cache = hint(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<PromptArgument>> samples<PromptArgument>() {
    return {{{.name = "a"}}, {{.name = "a", .title = "t", .description = "d", .required = true}}};
}

template <>
std::vector<Sample<Prompt>> samples<Prompt>() {
    return {{{.name = "p"}},
            {{.name = "p",
              .title = "t",
              .description = "d",
              .arguments = {samples<PromptArgument>()[1].value},
              .icons = icons(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<PromptMessage>> samples<PromptMessage>() {
    std::vector<Sample<PromptMessage>> all;
    for (auto& block : samples<ContentBlock>()) {
        all.push_back({{.role = Role::assistant, .content = block.value}, block.since});
    }
    return all;
}

template <>
std::vector<Sample<ListPromptsResult>> samples<ListPromptsResult>() {
    return {{{}},
            {{.prompts = {samples<Prompt>()[0].value, samples<Prompt>()[1].value},
              .next_cursor = "c",
              .cache = hint(),
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<GetPromptParams>> samples<GetPromptParams>() {
    return {{{.name = "p"}},
            {{.name = "p", .arguments = {{"a", "1"}, {"b", ""}}, .meta = request_meta()}},
            {{.name = "p", .retry = retry()}, v5}};
}

template <>
std::vector<Sample<GetPromptResult>> samples<GetPromptResult>() {
    std::vector<Sample<GetPromptResult>> all{{{}}};
    for (auto& message : samples<PromptMessage>()) {
        all.push_back({{.description = "d", .messages = {message.value}, .meta = some_meta()},
                       message.since});
    }
    return all;
}

template <>
std::vector<Sample<PromptReference>> samples<PromptReference>() {
    return {{{.name = "p"}}, {{.name = "p", .title = "t"}}};
}

template <>
std::vector<Sample<ResourceTemplateReference>> samples<ResourceTemplateReference>() {
    return {{{.uri = "file:///{a}"}}};
}

template <>
std::vector<Sample<CompleteParams>> samples<CompleteParams>() {
    return {{{.ref = PromptReference{.name = "p"}, .argument = {"a", ""}}},
            {{.ref = ResourceTemplateReference{"file:///{a}"},
              .argument = {"a", "v"},
              .context = CompletionContext{{{"b", "w"}}},
              .meta = request_meta()}}};
}

template <>
std::vector<Sample<CompleteResult>> samples<CompleteResult>() {
    return {{{}},
            {{.completion = {.values = {"a", "b"}, .total = 7, .has_more = true},
              .meta = some_meta()}}};
}

}  // namespace lanyard::test
