// Tasks: requests that continue after they were first answered. The experimental core feature of
// 2025-11-25 and the extension io.modelcontextprotocol/tasks of 2026-07-28 share these types;
// members that exist in only one of these two are marked.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/protocol/base.hpp>
#include <lanyard/protocol/input_required.hpp>
#include <lanyard/protocol/task_metadata.hpp>

namespace lanyard {

enum class TaskStatus { working, input_required, completed, failed, cancelled };

template <>
struct EnumNames<TaskStatus> {
    static constexpr std::array<std::string_view, 5> value{"working", "input_required", "completed",
                                                           "failed", "cancelled"};
};

/// Whether the status can never change again.
constexpr bool is_terminal(TaskStatus status) noexcept {
    return status != TaskStatus::working && status != TaskStatus::input_required;
}

/// The state of a task. The specification calls it Task, but in this library Task is the coroutine
/// type.
struct TaskInfo {
    std::string task_id{};
    TaskStatus status = TaskStatus::working;
    std::string status_message{};
    std::string created_at{};                        ///< ISO 8601
    std::string last_updated_at{};                   ///< ISO 8601
    std::optional<std::chrono::milliseconds> ttl{};  ///< from creation; absent means unlimited
    std::optional<std::chrono::milliseconds> poll_interval{};

    bool operator==(TaskInfo const&) const = default;
};

/// The answer to a request that became a task.
struct CreateTaskResult {
    TaskInfo task{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(CreateTaskResult const&) const = default;
};

/// Parameters that name one task.
struct TaskParams {
    std::string task_id{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(TaskParams const&) const = default;
};

using GetTaskParams = TaskParams;
using GetTaskPayloadParams = TaskParams;
using CancelTaskParams = TaskParams;

/// The state of a task. In the extension, also the data that belongs to the task's status.
struct GetTaskResult {
    TaskInfo task{};
    InputRequests input_requests{};  ///< extension only, if input is required: all open questions
    RawJson result{};  ///< extension only, if completed: the original request's result
    RawJson error{};   ///< extension only, if failed: the JSON-RPC error object
    Meta meta{};
    JsonObject extra{};

    bool operator==(GetTaskResult const&) const = default;
};

/// Parameters of a task's status notification: the same members as in GetTaskResult.
struct TaskStatusParams {
    TaskInfo task{};
    InputRequests input_requests{};
    RawJson result{};
    RawJson error{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(TaskStatusParams const&) const = default;
};

/// The result that the original request would have had without a task (2025-11-25).
struct GetTaskPayloadResult {
    RawJson result{};  ///< the whole result object

    bool operator==(GetTaskPayloadResult const&) const = default;
};

using ListTasksParams = PaginatedParams;

/// The result of `tasks/list`. 2025-11-25 only.
struct ListTasksResult {
    std::vector<TaskInfo> tasks{};
    std::optional<Cursor> next_cursor{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ListTasksResult const&) const = default;
};

/// Answers to a task's open questions; extension only.
struct UpdateTaskParams {
    std::string task_id{};
    InputResponses input_responses{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(UpdateTaskParams const&) const = default;
};

struct CancelTaskResult {
    TaskInfo task{};  ///< 2025-11-25 only; the extension returns an empty result
    Meta meta{};
    JsonObject extra{};

    bool operator==(CancelTaskResult const&) const = default;
};

}  // namespace lanyard
