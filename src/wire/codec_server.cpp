// The wire codec of requests from clients to servers: tools, resources, prompts, completion.
#include "wire/codec_impl.hpp"
#include "wire/tables/prompts.hpp"
#include "wire/tables/resources.hpp"
#include "wire/tables/tools.hpp"

namespace lanyard::wire {

LANYARD_WIRE_PARAMS(CallToolParams)
LANYARD_WIRE_PARAMS(ResourceParams)
LANYARD_WIRE_PARAMS(ReadResourceParams)
LANYARD_WIRE_PARAMS(GetPromptParams)
LANYARD_WIRE_PARAMS(CompleteParams)

LANYARD_WIRE_RESULT(ListToolsResult)
LANYARD_WIRE_RESULT(CallToolResult)
LANYARD_WIRE_RESULT(ListResourcesResult)
LANYARD_WIRE_RESULT(ListResourceTemplatesResult)
LANYARD_WIRE_RESULT(ReadResourceResult)
LANYARD_WIRE_RESULT(ListPromptsResult)
LANYARD_WIRE_RESULT(GetPromptResult)
LANYARD_WIRE_RESULT(CompleteResult)

LANYARD_WIRE_NOTIFICATION(ResourceParams)

}  // namespace lanyard::wire
