// Samples of sampling, elicitation, roots, embedded input and tasks.
#include "unit/wire/samples.hpp"

namespace lanyard::test {

using std::chrono::milliseconds;

template <>
std::vector<Sample<StringSchema>> samples<StringSchema>() {
    return {{{}},
            {{.title = "t",
              .description = "d",
              .min_length = 1,
              .max_length = 9,
              .format = StringFormat::date_time,
              .pattern = "^a",
              .default_value = ""}}};
}

template <>
std::vector<Sample<NumberSchema>> samples<NumberSchema>() {
    return {{{}},
            {{.integer = true,
              .title = "t",
              .description = "d",
              .minimum = 0,
              .maximum = 10,
              .default_value = 5}},
            {{.minimum = 0.5, .default_value = 1.5}}};
}

template <>
std::vector<Sample<BooleanSchema>> samples<BooleanSchema>() {
    return {{{}}, {{.title = "t", .description = "d", .default_value = false}}};
}

template <>
std::vector<Sample<SingleSelectEnumSchema>> samples<SingleSelectEnumSchema>() {
    return {{{.title = "t", .description = "d", .options = {{"a"}, {"b"}}, .default_value = "b"}},
            {{.title = "t",
              .description = "d",
              .options = {{"a", "A"}, {"b", "B"}},
              .default_value = "a"}},
            {{.options = {{"a"}}}}};
}

template <>
std::vector<Sample<MultiSelectEnumSchema>> samples<MultiSelectEnumSchema>() {
    return {{{.title = "t",
              .description = "d",
              .options = {{"a"}, {"b"}},
              .min_items = 1,
              .max_items = 2,
              .default_value = {{"a", "b"}}}},
            {{.title = "t",
              .description = "d",
              .options = {{"a", "A"}, {"b", "B"}},
              .min_items = 1,
              .max_items = 2,
              .default_value = {{"a"}}}},
            {{.options = {{"a"}}}}};
}

template <>
std::vector<Sample<PrimitiveSchemaDefinition>> samples<PrimitiveSchemaDefinition>() {
    std::vector<Sample<PrimitiveSchemaDefinition>> all;
    for (auto& sample : samples<StringSchema>()) all.push_back({sample.value});
    for (auto& sample : samples<NumberSchema>()) all.push_back({sample.value});
    for (auto& sample : samples<BooleanSchema>()) all.push_back({sample.value});
    for (auto& sample : samples<SingleSelectEnumSchema>()) all.push_back({sample.value});
    for (auto& sample : samples<MultiSelectEnumSchema>()) all.push_back({sample.value, v4});
    return all;
}

namespace {

FormSchema early_form() {
    return {.fields = {
                {.name = "name", .schema = samples<StringSchema>()[1].value, .required = true},
                {.name = "age", .schema = samples<NumberSchema>()[1].value},
                {.name = "ok", .schema = samples<BooleanSchema>()[1].value, .required = true},
                {.name = "plain", .schema = samples<SingleSelectEnumSchema>()[0].value},
                {.name = "titled", .schema = samples<SingleSelectEnumSchema>()[1].value},
            }};
}

FormSchema full_form() {
    auto form = early_form();
    form.dialect = "https://json-schema.org/draft/2020-12/schema";
    form.fields.push_back({.name = "many", .schema = samples<MultiSelectEnumSchema>()[0].value});
    form.fields.push_back({.name = "more", .schema = samples<MultiSelectEnumSchema>()[1].value});
    return form;
}

}  // namespace

template <>
std::vector<Sample<ElicitFormParams>> samples<ElicitFormParams>() {
    return {{{.message = "m"}, v3},
            {{.message = "m", .requested_schema = early_form(), .meta = request_meta()}, v3},
            {{.message = "m", .requested_schema = full_form(), .meta = request_meta()}, v4},
            {{.message = "m", .task = TaskMetadata{milliseconds(1)}}, v4, v4}};
}

template <>
std::vector<Sample<ElicitUrlParams>> samples<ElicitUrlParams>() {
    return {{{.message = "m", .url = "https://example.com", .elicitation_id = "e"}, v4},
            {{.message = "m",
              .url = "https://example.com",
              .elicitation_id = "e",
              .meta = request_meta()},
             v4},
            {{.message = "m", .url = "https://example.com", .task = TaskMetadata{}}, v4, v4}};
}

template <>
std::vector<Sample<ElicitParams>> samples<ElicitParams>() {
    std::vector<Sample<ElicitParams>> all;
    for (auto& form : samples<ElicitFormParams>()) {
        all.push_back({form.value, form.since, form.until});
    }
    for (auto& url : samples<ElicitUrlParams>()) all.push_back({url.value, url.since, url.until});
    return all;
}

template <>
std::vector<Sample<ElicitResult>> samples<ElicitResult>() {
    return {{{.action = ElicitAction::cancel}},
            {{.action = ElicitAction::accept,
              .content = JsonObject{{"a", "s"}, {"b", 1}, {"c", true}},
              .meta = some_meta()}},
            {{.action = ElicitAction::accept, .content = JsonObject{{"m", {"a", "b"}}}}, v4}};
}

template <>
std::vector<Sample<ElicitationCompleteParams>> samples<ElicitationCompleteParams>() {
    return {{{.elicitation_id = "e"}}, {{.elicitation_id = "e", .meta = some_meta()}}};
}

template <>
std::vector<Sample<UrlElicitationRequired>> samples<UrlElicitationRequired>() {
    return {{{.elicitations = {samples<ElicitUrlParams>()[0].value}}}};
}

template <>
std::vector<Sample<ModelHint>> samples<ModelHint>() {
    return {{{}}, {{.name = "claude"}}};
}

template <>
std::vector<Sample<ModelPreferences>> samples<ModelPreferences>() {
    return {{{}},
            {{.hints = {{.name = "claude"}, {}},
              .cost_priority = 0,
              .speed_priority = 0.5,
              .intelligence_priority = 1}}};
}

template <>
std::vector<Sample<ToolChoice>> samples<ToolChoice>() {
    return {{{}}, {{.mode = ToolChoiceMode::auto_}}};
}

template <>
std::vector<Sample<SamplingMessageContentBlock>> samples<SamplingMessageContentBlock>() {
    return {{samples<TextContent>()[1].value},
            {samples<ImageContent>()[1].value},
            {samples<AudioContent>()[1].value, v2},
            {samples<ToolUseContent>()[1].value, v4},
            {samples<ToolResultContent>()[1].value, v4}};
}

template <>
std::vector<Sample<SamplingMessage>> samples<SamplingMessage>() {
    SamplingMessage full{.role = Role::assistant, .meta = some_meta()};
    for (auto& block : samples<SamplingMessageContentBlock>()) full.content.push_back(block.value);
    return {{{.role = Role::user, .content = {TextContent{.text = "x"}}, .meta = some_meta()}},
            {{.role = Role::assistant, .content = {samples<ImageContent>()[1].value}}},
            {{.role = Role::user, .content = {samples<AudioContent>()[1].value}}, v2},
            {full, v4},
            {{.role = Role::user}, v4}};
}

namespace {

CreateMessageParams full_sampling() {
    return {.messages = {samples<SamplingMessage>()[0].value, samples<SamplingMessage>()[1].value},
            .max_tokens = 100,
            .model_preferences = samples<ModelPreferences>()[1].value,
            .system_prompt = "s",
            .include_context = IncludeContext::all_servers,
            .temperature = 0.5,
            .stop_sequences = {"a"},
            .metadata = JsonObject{{"k", 1}},
            .meta = request_meta()};
}

}  // namespace

template <>
std::vector<Sample<CreateMessageParams>> samples<CreateMessageParams>() {
    auto tools = full_sampling();
    tools.tools = {samples<Tool>()[1].value};
    tools.tool_choice = ToolChoice{ToolChoiceMode::required};
    tools.messages.push_back(samples<SamplingMessage>()[3].value);
    auto audio = full_sampling();
    audio.messages.push_back(samples<SamplingMessage>()[2].value);
    auto task = full_sampling();
    task.task = TaskMetadata{};
    return {{{}}, {full_sampling()}, {audio, v2}, {tools, v4}, {task, v4, v4}};
}

template <>
std::vector<Sample<CreateMessageResult>> samples<CreateMessageResult>() {
    return {{{.content = {TextContent{.text = "x"}}, .model = "m"}},
            {{.role = Role::user,
              .content = {samples<ImageContent>()[1].value},
              .model = "m",
              .stop_reason = "endTurn",
              .meta = some_meta()}},
            {{.content = {samples<AudioContent>()[1].value}, .model = "m"}, v2},
            {{.content = {samples<ToolUseContent>()[0].value, samples<ToolUseContent>()[1].value},
              .model = "m",
              .stop_reason = "toolUse"},
             v4}};
}

template <>
std::vector<Sample<Root>> samples<Root>() {
    return {{{.uri = "file:///a"}}, {{.uri = "file:///a", .name = "n", .meta = some_meta()}}};
}

template <>
std::vector<Sample<ListRootsResult>> samples<ListRootsResult>() {
    return {{{}}, {{.roots = {samples<Root>()[1].value}, .meta = some_meta()}}};
}

// Embedded requests have no `_meta`, except the one for roots.
template <>
std::vector<Sample<InputRequest>> samples<InputRequest>() {
    auto sampling = samples<CreateMessageParams>()[3].value;
    sampling.meta = {};
    sampling.tools.front().execution.reset();
    return {{ElicitParams(ElicitFormParams{.message = "m", .requested_schema = full_form()})},
            {ElicitParams(ElicitUrlParams{.message = "m", .url = "https://example.com"})},
            {sampling},
            {ListRootsParams{}},
            {ListRootsParams{.meta = some_meta()}}};
}

template <>
std::vector<Sample<InputRequests>> samples<InputRequests>() {
    InputRequests all;
    for (auto& request : samples<InputRequest>()) {
        all.emplace("key " + std::to_string(all.size()), request.value);
    }
    return {{{}}, {all}};
}

template <>
std::vector<Sample<InputResponse>> samples<InputResponse>() {
    auto elicit = samples<ElicitResult>()[2].value;
    elicit.meta = {};
    return {{elicit},
            {samples<CreateMessageResult>()[3].value},
            {ListRootsResult{.roots = {samples<Root>()[1].value}}}};
}

template <>
std::vector<Sample<InputResponses>> samples<InputResponses>() {
    InputResponses all;
    for (auto& response : samples<InputResponse>()) {
        all.emplace("key " + std::to_string(all.size()), response.value);
    }
    return {{{}}, {all}};
}

template <>
std::vector<Sample<InputRequiredResult>> samples<InputRequiredResult>() {
    return {{{.request_state = "s"}, v5},
            {{.input_requests = samples<InputRequests>()[1].value}, v5},
            {{.input_requests = samples<InputRequests>()[1].value,
              .request_state = "",
              .meta = some_meta()},
             v5}};
}

template <>
std::vector<Sample<TaskMetadata>> samples<TaskMetadata>() {
    return {{{}}, {{.ttl = milliseconds(5)}}};
}

template <>
std::vector<Sample<TaskInfo>> samples<TaskInfo>() {
    return {{{.task_id = "t",
              .created_at = "2025-11-25T10:30:00Z",
              .last_updated_at = "2025-11-25T10:30:00Z"}},
            {{.task_id = "t",
              .status = TaskStatus::cancelled,
              .status_message = "m",
              .created_at = "2025-11-25T10:30:00Z",
              .last_updated_at = "2025-11-25T10:40:00Z",
              .ttl = milliseconds(60'000),
              .poll_interval = milliseconds(5'000)}}};
}

template <>
std::vector<Sample<CreateTaskResult>> samples<CreateTaskResult>() {
    return {{{.task = samples<TaskInfo>()[0].value}},
            {{.task = samples<TaskInfo>()[1].value, .meta = some_meta()}}};
}

template <>
std::vector<Sample<TaskParams>> samples<TaskParams>() {
    return {{{.task_id = "t"}}, {{.task_id = "t", .meta = request_meta()}}};
}

namespace {

template <class T>
std::vector<Sample<T>> detailed_tasks() {
    T working{.task = samples<TaskInfo>()[0].value};
    T cancelled{.task = samples<TaskInfo>()[1].value, .meta = some_meta()};
    T asking = cancelled;
    asking.task.status = TaskStatus::input_required;
    asking.input_requests = samples<InputRequests>()[1].value;
    T completed = cancelled;
    completed.task.status = TaskStatus::completed;
    completed.result = raw(R"({"content":[]})");
    T failed = cancelled;
    failed.task.status = TaskStatus::failed;
    failed.error = raw(R"({"code":-32603,"message":"m"})");
    return {{working}, {cancelled}, {asking}, {completed}, {failed}};
}

}  // namespace

template <>
std::vector<Sample<GetTaskResult>> samples<GetTaskResult>() {
    return detailed_tasks<GetTaskResult>();
}

template <>
std::vector<Sample<TaskStatusParams>> samples<TaskStatusParams>() {
    return detailed_tasks<TaskStatusParams>();
}

template <>
std::vector<Sample<GetTaskPayloadResult>> samples<GetTaskPayloadResult>() {
    return {{{.result = raw("{}")}}, {{.result = raw(R"({"content":[],"_meta":{"a":1}})")}}};
}

template <>
std::vector<Sample<ListTasksResult>> samples<ListTasksResult>() {
    return {{{}},
            {{.tasks = {samples<TaskInfo>()[0].value, samples<TaskInfo>()[1].value},
              .next_cursor = "c",
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<UpdateTaskParams>> samples<UpdateTaskParams>() {
    return {{{.task_id = "t"}},
            {{.task_id = "t",
              .input_responses = samples<InputResponses>()[1].value,
              .meta = request_meta()}}};
}

template <>
std::vector<Sample<CancelTaskResult>> samples<CancelTaskResult>() {
    return {{{.task = samples<TaskInfo>()[0].value}},
            {{.task = samples<TaskInfo>()[1].value, .meta = some_meta()}}};
}

}  // namespace lanyard::test
