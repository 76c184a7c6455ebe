// Change notifications on a stream that the client opens (MCP specification,
// basic/patterns/subscriptions; since protocol revision 2026-07-28).
#pragma once

#include <string>
#include <vector>

#include <lanyard/protocol/base.hpp>

namespace lanyard {

/// The notifications that a client requests, or that a server grants.
struct SubscriptionFilter {
    bool tools_list_changed = false;
    bool prompts_list_changed = false;
    bool resources_list_changed = false;
    std::vector<std::string> resource_subscriptions{};  ///< URIs
    std::vector<std::string> task_ids{};                ///< tasks extension
    JsonObject extra{};

    bool operator==(SubscriptionFilter const&) const = default;
};

struct SubscriptionsListenParams {
    SubscriptionFilter notifications{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(SubscriptionsListenParams const&) const = default;
};

using SubscriptionsListenResult = EmptyResult;

struct SubscriptionsAcknowledgedParams {
    SubscriptionFilter notifications{};  ///< those that the server grants
    Meta meta{};
    JsonObject extra{};

    bool operator==(SubscriptionsAcknowledgedParams const&) const = default;
};

}  // namespace lanyard
