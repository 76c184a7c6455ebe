// Samples of types that several areas use, of the lifecycle and of notifications.
#include "unit/wire/samples.hpp"

namespace lanyard::test {

template <>
std::vector<Sample<Icon>> samples<Icon>() {
    return {{{.src = "https://example.com/i.png"}},
            {{.src = "data:image/png;base64,AAAA",
              .mime_type = "image/png",
              .sizes = {"48x48", "any"},
              .theme = IconTheme::dark}}};
}

template <>
std::vector<Sample<Annotations>> samples<Annotations>() {
    return {{{}},
            {{.audience = {Role::user, Role::assistant},
              .priority = 0.5,
              .last_modified = "2025-01-12T15:00:58Z"}}};
}

template <>
std::vector<Sample<Implementation>> samples<Implementation>() {
    return {{{.name = "n", .version = "1"}},
            {{.name = "n",
              .version = "1",
              .title = "t",
              .description = "d",
              .website_url = "https://example.com",
              .icons = {samples<Icon>()[1].value}}}};
}

template <>
std::vector<Sample<EmptyParams>> samples<EmptyParams>() {
    return {{{}}, {{.meta = request_meta()}}};
}

template <>
std::vector<Sample<EmptyResult>> samples<EmptyResult>() {
    return {{{}}, {{.meta = some_meta()}}};
}

template <>
std::vector<Sample<PaginatedParams>> samples<PaginatedParams>() {
    return {{{}}, {{.cursor = "", .meta = request_meta()}}};
}

template <>
std::vector<Sample<ClientCapabilities>> samples<ClientCapabilities>() {
    ClientCapabilities full{
        .roots = RootsCapability{.list_changed = true},
        .sampling = SamplingCapability{.context = JsonObject{}, .tools = JsonObject{{"a", 1}}},
        .elicitation = ElicitationCapability{.form = JsonObject{}, .url = JsonObject{}},
        .tasks = TasksCapability{.list = JsonObject{}, .cancel = JsonObject{}},
        .experimental = {{"x", JsonObject{}}},
        .extensions = {{tasks_extension_id, JsonObject{}}}};
    full.tasks->allow("sampling/createMessage");
    full.tasks->allow("elicitation/create");
    return {{{}},
            {{.roots = RootsCapability{},
              .sampling = SamplingCapability{},
              .elicitation = ElicitationCapability{},
              .tasks = TasksCapability{}}},
            {full}};
}

template <>
std::vector<Sample<ServerCapabilities>> samples<ServerCapabilities>() {
    ServerCapabilities full{
        .logging = JsonObject{},
        .completions = JsonObject{},
        .prompts = ListCapability{.list_changed = true},
        .resources = ResourcesCapability{.subscribe = true, .list_changed = true},
        .tools = ListCapability{.list_changed = true},
        .tasks = TasksCapability{.list = JsonObject{}, .cancel = JsonObject{}},
        .experimental = {{"x", JsonObject{}}},
        .extensions = {{tasks_extension_id, JsonObject{}}}};
    full.tasks->allow("tools/call");
    return {{{}},
            {{.prompts = ListCapability{},
              .resources = ResourcesCapability{},
              .tools = ListCapability{},
              .tasks = TasksCapability{}}},
            {full}};
}

template <>
std::vector<Sample<InitializeParams>> samples<InitializeParams>() {
    return {{{.protocol_version = "2025-11-25", .client_info = samples<Implementation>()[0].value}},
            {{.protocol_version = "1999-01-01",
              .capabilities = samples<ClientCapabilities>()[2].value,
              .client_info = samples<Implementation>()[1].value,
              .meta = request_meta()}}};
}

template <>
std::vector<Sample<InitializeResult>> samples<InitializeResult>() {
    return {{{.protocol_version = "2025-11-25", .server_info = samples<Implementation>()[0].value}},
            {{.protocol_version = "2025-06-18",
              .capabilities = samples<ServerCapabilities>()[2].value,
              .server_info = samples<Implementation>()[1].value,
              .instructions = "i",
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<DiscoverResult>> samples<DiscoverResult>() {
    auto capabilities = samples<ServerCapabilities>()[2].value;
    capabilities.tasks.reset();
    return {{{.supported_versions = {"2026-07-28"}}},
            {{.supported_versions = {"2026-07-28", "2025-11-25"},
              .capabilities = capabilities,
              .instructions = "i",
              .cache = {std::chrono::milliseconds(5), CacheScope::public_},
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<SubscriptionFilter>> samples<SubscriptionFilter>() {
    return {{{}},
            {{.tools_list_changed = true,
              .prompts_list_changed = true,
              .resources_list_changed = true,
              .resource_subscriptions = {"file:///a"},
              .task_ids = {"t"}}}};
}

template <>
std::vector<Sample<SubscriptionsListenParams>> samples<SubscriptionsListenParams>() {
    return {{{}},
            {{.notifications = samples<SubscriptionFilter>()[1].value, .meta = request_meta()}}};
}

template <>
std::vector<Sample<SubscriptionsAcknowledgedParams>> samples<SubscriptionsAcknowledgedParams>() {
    return {{{}}, {{.notifications = samples<SubscriptionFilter>()[1].value, .meta = some_meta()}}};
}

template <>
std::vector<Sample<SetLevelParams>> samples<SetLevelParams>() {
    return {{{.level = LoggingLevel::debug}},
            {{.level = LoggingLevel::emergency, .meta = request_meta()}}};
}

template <>
std::vector<Sample<LoggingMessageParams>> samples<LoggingMessageParams>() {
    return {{{.level = LoggingLevel::notice, .data = "text"}},
            {{.level = LoggingLevel::critical,
              .logger = "l",
              .data = {{"a", {1, nullptr, true}}},
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<ProgressParams>> samples<ProgressParams>() {
    return {{{.progress_token = 0, .progress = 1}},
            {{.progress_token = "t",
              .progress = 0.25,
              .total = 2.5,
              .message = "m",
              .meta = some_meta()}}};
}

template <>
std::vector<Sample<CancelledParams>> samples<CancelledParams>() {
    return {{{.request_id = 1}},
            {{.request_id = "r", .reason = "because", .meta = some_meta()}},
            {{.reason = "a task"}, v4, v4}};
}

template <>
std::vector<Sample<UnsupportedProtocolVersion>> samples<UnsupportedProtocolVersion>() {
    return {{{.supported = {"2026-07-28"}, .requested = "1999-01-01"}},
            {{.supported = {"2026-07-28", "2025-11-25"}, .requested = "2"}}};
}

template <>
std::vector<Sample<MissingRequiredClientCapability>> samples<MissingRequiredClientCapability>() {
    return {{{.required_capabilities = {.sampling = SamplingCapability{}}}},
            {{.required_capabilities = {.extensions = {{tasks_extension_id, JsonObject{}}}}}}};
}

}  // namespace lanyard::test
