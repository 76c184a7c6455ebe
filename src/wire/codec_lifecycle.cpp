// The wire codec of initialization, discovery, subscriptions, logging, progress and cancellation.
#include "wire/codec_impl.hpp"
#include "wire/tables/lifecycle.hpp"

namespace lanyard::wire {

LANYARD_WIRE_PARAMS(EmptyParams)
LANYARD_WIRE_PARAMS(PaginatedParams)
LANYARD_WIRE_PARAMS(InitializeParams)
LANYARD_WIRE_PARAMS(SetLevelParams)
LANYARD_WIRE_PARAMS(SubscriptionsListenParams)

LANYARD_WIRE_RESULT(EmptyResult)
LANYARD_WIRE_RESULT(InitializeResult)
LANYARD_WIRE_RESULT(DiscoverResult)

LANYARD_WIRE_NOTIFICATION(EmptyParams)
LANYARD_WIRE_NOTIFICATION(ProgressParams)
LANYARD_WIRE_NOTIFICATION(CancelledParams)
LANYARD_WIRE_NOTIFICATION(LoggingMessageParams)
LANYARD_WIRE_NOTIFICATION(SubscriptionsAcknowledgedParams)

}  // namespace lanyard::wire
