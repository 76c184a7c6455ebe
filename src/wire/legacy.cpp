#include "wire/legacy.hpp"

#include <string>

#include "protocol/validation.hpp"
#include "wire/tables/fields.hpp"

namespace lanyard::wire {
namespace {

Result<void> refuse(Feature feature, Version version) {
    std::string message = "protocol version ";
    message.append(to_string(version)).append(" has no ").append(info(feature).name);
    return Unexpected(Error(Errc::unsupported_in_era, std::move(message)));
}

Result<void> invalid(std::string message) {
    return Unexpected(Error(Errc::invalid_argument, std::move(message)));
}

Result<void> invalid(DecodeError const& error) {
    return invalid(error.to_string());
}

Result<void> need(bool used, Feature feature, Version version) {
    if (!used || supports(feature, version)) return {};
    return refuse(feature, version);
}

// Runs a check over a list and stops at the first refusal.
template <class List, class Check>
Result<void> each(List const& list, Check check) {
    for (auto const& item : list) {
        if (auto allowed = check(item); !allowed) return allowed;
    }
    return {};
}

// Older revisions allow only objects as structured output. If the structured output has another
// type and there is also content, the structured output is omitted, because the content is assumed
// to contain the same information. Without content, such output is an error.
Result<void> check_structured(RawJson const& structured, std::vector<ContentBlock> const& content,
                              Version version) {
    if (structured.empty() || !content.empty()) return {};
    return need(detail::is_not_object(&structured), Feature::any_structured_output, version);
}

Result<void> check_sampling_content(std::vector<SamplingMessageContentBlock> const& blocks,
                                    Version version) {
    return each(blocks, [&](SamplingMessageContentBlock const& block) -> Result<void> {
        auto const* const result = std::get_if<ToolResultContent>(&block);
        if (result == nullptr) return {};
        return check_structured(result->structured_content, result->content, version);
    });
}

Result<void> check_tools(std::vector<Tool> const& tools) {
    return each(tools, [](Tool const& tool) -> Result<void> {
        if (!tool.input_schema.empty()) return {};
        return invalid("the tool \"" + tool.name + "\" has no input schema");
    });
}

Result<void> check_retry(InputRetry const& retry, Version version) {
    if (auto allowed = need(!retry.empty(), Feature::input_required, version); !allowed) {
        return allowed;
    }
    return each(retry.input_responses, [&](auto const& response) {
        return std::visit([&](auto const& result) { return check_expressible(result, version); },
                          response.second);
    });
}

Result<void> check_task(std::optional<TaskMetadata> const& task, Version version) {
    return need(task.has_value(), Feature::core_tasks, version);
}

Result<void> check_form(ElicitFormParams const& params, Version version) {
    if (auto allowed = check_task(params.task, version); !allowed) return allowed;
    if (auto valid = protocol::check_form_schema(params.requested_schema); !valid) {
        return invalid(valid.error());
    }
    return {};
}

Result<void> check_requests(InputRequests const& requests, Version version) {
    return each(requests, [&](auto const& request) {
        return std::visit([&](auto const& params) { return check_expressible(params, version); },
                          request.second);
    });
}

template <class T>
Result<void> check_detailed_task(T const& value, Version version) {
    if (!supports(Feature::tasks_extension, version)) return {};
    auto const status = value.task.status;
    if (status == TaskStatus::input_required && value.input_requests.empty()) {
        return invalid("a task that requires input must say which");
    }
    if (status == TaskStatus::completed && value.result.empty()) {
        return invalid("a completed task must have a result");
    }
    if (status == TaskStatus::failed && value.error.empty()) {
        return invalid("a failed task must have an error");
    }
    return check_requests(value.input_requests, version);
}

}  // namespace

Result<void> check_expressible(CallToolParams const& value, Version version) {
    if (auto allowed = check_task(value.task, version); !allowed) return allowed;
    return check_retry(value.retry, version);
}

Result<void> check_expressible(CallToolResult const&, Version) {
    // Nothing to check: structured output that is not an object is wrapped in an object.
    return {};
}

Result<void> check_expressible(ListToolsResult const& value, Version) {
    return check_tools(value.tools);
}

Result<void> check_expressible(ReadResourceParams const& value, Version version) {
    return check_retry(value.retry, version);
}

Result<void> check_expressible(GetPromptParams const& value, Version version) {
    return check_retry(value.retry, version);
}

Result<void> check_expressible(CompleteResult const& value, Version) {
    if (auto valid = protocol::check_completion(value.completion); !valid) {
        return invalid(valid.error());
    }
    return {};
}

Result<void> check_expressible(CreateMessageParams const& value, Version version) {
    if (auto allowed = check_task(value.task, version); !allowed) return allowed;
    if (auto allowed = check_tools(value.tools); !allowed) return allowed;
    return each(value.messages, [&](SamplingMessage const& message) {
        return check_sampling_content(message.content, version);
    });
}

Result<void> check_expressible(CreateMessageResult const& value, Version version) {
    return check_sampling_content(value.content, version);
}

Result<void> check_expressible(ElicitParams const& value, Version version) {
    if (auto const* form = std::get_if<ElicitFormParams>(&value)) return check_form(*form, version);
    auto const& url = *std::get_if<ElicitUrlParams>(&value);
    if (auto allowed = check_task(url.task, version); !allowed) return allowed;
    if (auto valid = protocol::check_elicitation_url(url.url); !valid) {
        return invalid("the elicitation's URL " + valid.error().message);
    }
    return {};
}

Result<void> check_expressible(ElicitResult const& value, Version) {
    if (value.content && value.action != ElicitAction::accept) {
        return invalid("only an accepted elicitation has content");
    }
    return {};
}

Result<void> check_expressible(CancelledParams const& value, Version version) {
    if (value.request_id || supports(Feature::core_tasks, version)) return {};
    return invalid("a cancellation must name its request");
}

Result<void> check_expressible(InputRequiredResult const& value, Version version) {
    if (auto allowed = need(true, Feature::input_required, version); !allowed) return allowed;
    if (value.input_requests.empty() && !value.request_state) {
        return invalid("an input_required result needs input requests or a request state");
    }
    return check_requests(value.input_requests, version);
}

Result<void> check_expressible(UpdateTaskParams const& value, Version version) {
    return each(value.input_responses, [&](auto const& response) {
        return std::visit([&](auto const& result) { return check_expressible(result, version); },
                          response.second);
    });
}

Result<void> check_expressible(GetTaskResult const& value, Version version) {
    return check_detailed_task(value, version);
}

Result<void> check_expressible(TaskStatusParams const& value, Version version) {
    return check_detailed_task(value, version);
}

Result<void> check_meta(Meta const& meta, Version version) {
    return each(meta.members(), [&](auto const& member) -> Result<void> {
        std::string_view const key = member.key();
        if (is_envelope_key(key)) {
            return invalid("the _meta key \"" + std::string(key) + "\" is the protocol's own");
        }
        if (supports(Feature::meta_on_types, version) && !is_valid_meta_key(key)) {
            return invalid("\"" + std::string(key) + "\" is not a valid _meta key");
        }
        return {};
    });
}

}  // namespace lanyard::wire
