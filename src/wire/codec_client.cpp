// The wire codec of requests from servers to clients: sampling, elicitation, roots, tasks.
#include "wire/codec_impl.hpp"
#include "wire/tables/input_required.hpp"
#include "wire/tables/tasks.hpp"

namespace lanyard::wire {

LANYARD_WIRE_PARAMS(CreateMessageParams)
LANYARD_WIRE_PARAMS(ElicitParams)
LANYARD_WIRE_PARAMS(TaskParams)
LANYARD_WIRE_PARAMS(UpdateTaskParams)

LANYARD_WIRE_RESULT(CreateMessageResult)
LANYARD_WIRE_RESULT(ElicitResult)
LANYARD_WIRE_RESULT(ListRootsResult)
LANYARD_WIRE_RESULT(InputRequiredResult)
LANYARD_WIRE_RESULT(CreateTaskResult)
LANYARD_WIRE_RESULT(GetTaskResult)
LANYARD_WIRE_RESULT(GetTaskPayloadResult)
LANYARD_WIRE_RESULT(ListTasksResult)
LANYARD_WIRE_RESULT(CancelTaskResult)

LANYARD_WIRE_NOTIFICATION(ElicitationCompleteParams)
LANYARD_WIRE_NOTIFICATION(TaskStatusParams)

}  // namespace lanyard::wire
