// Wire tables of tasks: the core feature of protocol revision 2025-11-25 and the extension of
// 2026-07-28.
#pragma once

#include "lanyard/protocol/tasks.hpp"
#include "wire/tables/input_required.hpp"

namespace lanyard {

/// Decoding uses the table, and also checks that the task has the members that its status requires.
template <>
struct Codec<GetTaskResult> {
    static void encode(json::Writer& writer, GetTaskResult const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, GetTaskResult& out, DecodeContext& context);
};

template <>
struct Codec<TaskStatusParams> {
    static void encode(json::Writer& writer, TaskStatusParams const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, TaskStatusParams& out, DecodeContext& context);
};

/// The whole JSON object is the result of the request that was executed as a task.
template <>
struct Codec<GetTaskPayloadResult> {
    static void encode(json::Writer& writer, GetTaskPayloadResult const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, GetTaskPayloadResult& out, DecodeContext& context);
};

}  // namespace lanyard

namespace lanyard::reflect {

template <>
inline constexpr auto description<TaskInfo> = describe<TaskInfo>(
    "Task", field<&TaskInfo::task_id>("taskId"), field<&TaskInfo::status>("status"),
    field<&TaskInfo::status_message>("statusMessage", omit_empty),
    field<&TaskInfo::created_at>("createdAt"), field<&TaskInfo::last_updated_at>("lastUpdatedAt"),
    wire::in_milliseconds(
        field<&TaskInfo::ttl>("ttl", required, nullable, until{wire::v2025_11_25})),
    wire::in_milliseconds(
        field<&TaskInfo::poll_interval>("pollInterval", until{wire::v2025_11_25})),
    wire::in_milliseconds(
        field<&TaskInfo::ttl>("ttlMs", required, nullable, since{wire::v2026_07_28})),
    wire::in_milliseconds(
        field<&TaskInfo::poll_interval>("pollIntervalMs", since{wire::v2026_07_28})));

}  // namespace lanyard::reflect

namespace lanyard::wire {

/// Describes a type with a member that is a task. In the revisions from `first` to `last`, the
/// members of the task are written as members of the type itself ("flat").
template <class T, auto Part, class... Items>
constexpr auto describe_flat_task(std::string_view name, since first, until last,
                                  Items const&... items) {
    constexpr until core{v2025_11_25};
    constexpr since extension{v2026_07_28};
    return describe<T>(
        name, items..., through<Part, &TaskInfo::task_id>("taskId", first, last),
        through<Part, &TaskInfo::status>("status", first, last),
        through<Part, &TaskInfo::status_message>("statusMessage", omit_empty, first, last),
        through<Part, &TaskInfo::created_at>("createdAt", first, last),
        through<Part, &TaskInfo::last_updated_at>("lastUpdatedAt", first, last),
        wire::in_milliseconds(
            through<Part, &TaskInfo::ttl>("ttl", required, nullable, first, last, core)),
        wire::in_milliseconds(
            through<Part, &TaskInfo::poll_interval>("pollInterval", first, last, core)),
        wire::in_milliseconds(
            through<Part, &TaskInfo::ttl>("ttlMs", required, nullable, first, last, extension)),
        wire::in_milliseconds(
            through<Part, &TaskInfo::poll_interval>("pollIntervalMs", first, last, extension)),
        meta<&T::meta>(), rest<&T::extra>());
}

template <class T>
constexpr auto task_input_requests() {
    return field<&T::input_requests>("inputRequests", omit_empty, from(Feature::tasks_extension));
}
template <class T>
constexpr auto task_result() {
    return raw_object<&T::result>("result", from(Feature::tasks_extension));
}
template <class T>
constexpr auto task_error() {
    return raw_object<&T::error>("error", from(Feature::tasks_extension));
}

inline constexpr since always_since{Version::v2024_11_05};
inline constexpr until always_until{newest_version};

}  // namespace lanyard::wire

namespace lanyard::reflect {

/// In protocol revision 2025-11-25, the task is a nested object. In the tasks extension, its
/// members are written directly into the result.
template <>
inline constexpr auto description<CreateTaskResult> =
    wire::describe_flat_task<CreateTaskResult, &CreateTaskResult::task>(
        "task result", since{wire::v2026_07_28}, wire::always_until,
        constant<CreateTaskResult>("resultType", "task", since{wire::v2026_07_28}),
        field<&CreateTaskResult::task>("task", until{wire::v2025_11_25}));

template <>
inline constexpr auto description<TaskParams> =
    describe<TaskParams>("params", field<&TaskParams::task_id>("taskId"),
                         wire::meta<&TaskParams::meta>(), rest<&TaskParams::extra>());

template <>
inline constexpr auto description<GetTaskResult> =
    wire::describe_flat_task<GetTaskResult, &GetTaskResult::task>(
        "tasks/get result", wire::always_since, wire::always_until, wire::complete<GetTaskResult>(),
        wire::task_input_requests<GetTaskResult>(), wire::task_result<GetTaskResult>(),
        wire::task_error<GetTaskResult>());

template <>
inline constexpr auto description<TaskStatusParams> =
    wire::describe_flat_task<TaskStatusParams, &TaskStatusParams::task>(
        "params", wire::always_since, wire::always_until,
        wire::task_input_requests<TaskStatusParams>(), wire::task_result<TaskStatusParams>(),
        wire::task_error<TaskStatusParams>());

template <>
inline constexpr auto description<ListTasksResult> = describe<ListTasksResult>(
    "tasks/list result", wire::entries<&ListTasksResult::tasks>("tasks"),
    field<&ListTasksResult::next_cursor>("nextCursor"), wire::meta<&ListTasksResult::meta>(),
    rest<&ListTasksResult::extra>());

template <>
inline constexpr auto description<UpdateTaskParams> = describe<UpdateTaskParams>(
    "tasks/update params", field<&UpdateTaskParams::task_id>("taskId"),
    field<&UpdateTaskParams::input_responses>("inputResponses"),
    wire::meta<&UpdateTaskParams::meta>(), rest<&UpdateTaskParams::extra>());

/// In protocol revision 2025-11-25, the result contains the task. In the tasks extension, the
/// result is empty.
template <>
inline constexpr auto description<CancelTaskResult> =
    wire::describe_flat_task<CancelTaskResult, &CancelTaskResult::task>(
        "tasks/cancel result", wire::always_since, until{wire::v2025_11_25},
        wire::complete<CancelTaskResult>());

}  // namespace lanyard::reflect
