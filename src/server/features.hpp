// FeatureRequests: routes requests for tools, resources, prompts and completion to their handlers.
#pragma once

#include "server/call.hpp"
#include "server/catalog.hpp"

namespace lanyard::server {

/// One for each executor. Not thread-safe.
class FeatureRequests {
public:
    FeatureRequests(ServerCore& core) : core_(core), catalog_(core.catalog()) {}

    /// Serves the request: the call ends by itself.
    void serve(Call& call, Exchange& exchange, Arrival const& arrival);

private:
    void call_tool(Call& call, Exchange& exchange, Arrival const& arrival);
    void list_tools(Call& call, Exchange& exchange, Arrival const& arrival);
    bool resume(Call& call, InputRetry retry, Arrival const& arrival);

    ServerCore& core_;
    CatalogReader catalog_;
};

}  // namespace lanyard::server
