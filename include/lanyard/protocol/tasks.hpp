// Tasks: requests that continue after their first answer. Two features share these types: the
// experimental core feature of protocol revision 2025-11-25, and the extension
// io.modelcontextprotocol/tasks of protocol revision 2026-07-28. Members that only one of the two
// features has are marked.
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

/// Whether the status is final, so that it cannot change any more.
constexpr bool is_terminal(TaskStatus status) noexcept {
    return status != TaskStatus::working && status != TaskStatus::input_required;
}

/// The state of a task. The specification calls this type Task, but in this library Task is the
/// coroutine type.
struct TaskInfo {
    std::string task_id{};
    TaskStatus status = TaskStatus::working;
    std::string status_message{};
    std::string created_at{};                        ///< ISO 8601
    std::string last_updated_at{};                   ///< ISO 8601
    std::optional<std::chrono::milliseconds> ttl{};  ///< counted from creation; absent: unlimited
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

/// The state of a task and, with the tasks extension, the data that belongs to its status.
struct GetTaskResult {
    TaskInfo task{};
    /// The input that the task is waiting for. Only with the tasks extension, if the status is
    /// `input_required`.
    InputRequests input_requests{};
    /// The result of the original request. Only with the tasks extension, if the task is completed.
    RawJson result{};
    /// The JSON-RPC error object. Only with the tasks extension, if the task has failed.
    RawJson error{};
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

/// The result that the original request would have had without a task (only in protocol revision
/// 2025-11-25).
struct GetTaskPayloadResult {
    RawJson result{};  ///< the whole result object

    bool operator==(GetTaskPayloadResult const&) const = default;
};

using ListTasksParams = PaginatedParams;

/// The result of `tasks/list` (only in protocol revision 2025-11-25).
struct ListTasksResult {
    std::vector<TaskInfo> tasks{};
    std::optional<Cursor> next_cursor{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ListTasksResult const&) const = default;
};

/// The client's answers to GetTaskResult::input_requests (only with the tasks extension).
struct UpdateTaskParams {
    std::string task_id{};
    InputResponses input_responses{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(UpdateTaskParams const&) const = default;
};

struct CancelTaskResult {
    TaskInfo task{};  ///< only in revision 2025-11-25; the tasks extension returns no task
    Meta meta{};
    JsonObject extra{};

    bool operator==(CancelTaskResult const&) const = default;
};

}  // namespace lanyard
