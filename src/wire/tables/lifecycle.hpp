// Wire tables of initialization, discovery, subscriptions, logging, progress and cancellation.
#pragma once

#include "lanyard/protocol/discover.hpp"
#include "lanyard/protocol/initialize.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/protocol/progress.hpp"
#include "lanyard/protocol/subscriptions.hpp"
#include "wire/tables/base.hpp"
#include "wire/tables/capabilities.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<InitializeParams> = describe<InitializeParams>(
    "initialize params", field<&InitializeParams::protocol_version>("protocolVersion"),
    field<&InitializeParams::capabilities>("capabilities"),
    field<&InitializeParams::client_info>("clientInfo"), wire::meta<&InitializeParams::meta>(),
    rest<&InitializeParams::extra>());

template <>
inline constexpr auto description<InitializeResult> = describe<InitializeResult>(
    "initialize result", field<&InitializeResult::protocol_version>("protocolVersion"),
    field<&InitializeResult::capabilities>("capabilities"),
    field<&InitializeResult::server_info>("serverInfo"),
    field<&InitializeResult::instructions>("instructions", omit_empty),
    wire::meta<&InitializeResult::meta>(), rest<&InitializeResult::extra>());

template <>
inline constexpr auto description<DiscoverResult> = describe<DiscoverResult>(
    "server/discover result", wire::complete<DiscoverResult>(),
    field<&DiscoverResult::supported_versions>("supportedVersions"),
    field<&DiscoverResult::capabilities>("capabilities"),
    field<&DiscoverResult::instructions>("instructions", omit_empty),
    wire::cache_ttl<&DiscoverResult::cache>(), wire::cache_scope<&DiscoverResult::cache>(),
    wire::meta<&DiscoverResult::meta>(), rest<&DiscoverResult::extra>());

template <>
inline constexpr auto description<SubscriptionFilter> = describe<SubscriptionFilter>(
    "notifications", wire::flag<&SubscriptionFilter::tools_list_changed>("toolsListChanged"),
    wire::flag<&SubscriptionFilter::prompts_list_changed>("promptsListChanged"),
    wire::flag<&SubscriptionFilter::resources_list_changed>("resourcesListChanged"),
    field<&SubscriptionFilter::resource_subscriptions>("resourceSubscriptions", omit_empty),
    field<&SubscriptionFilter::task_ids>("taskIds", omit_empty),
    rest<&SubscriptionFilter::extra>());

template <>
inline constexpr auto description<SubscriptionsListenParams> = describe<SubscriptionsListenParams>(
    "subscriptions/listen params",
    field<&SubscriptionsListenParams::notifications>("notifications"),
    wire::meta<&SubscriptionsListenParams::meta>(), rest<&SubscriptionsListenParams::extra>());

template <>
inline constexpr auto description<SubscriptionsAcknowledgedParams> =
    describe<SubscriptionsAcknowledgedParams>(
        "params", field<&SubscriptionsAcknowledgedParams::notifications>("notifications"),
        wire::meta<&SubscriptionsAcknowledgedParams::meta>(),
        rest<&SubscriptionsAcknowledgedParams::extra>());

template <>
inline constexpr auto description<SetLevelParams> =
    describe<SetLevelParams>("logging/setLevel params", field<&SetLevelParams::level>("level"),
                             wire::meta<&SetLevelParams::meta>(), rest<&SetLevelParams::extra>());

template <>
inline constexpr auto description<LoggingMessageParams> = describe<LoggingMessageParams>(
    "params", field<&LoggingMessageParams::level>("level"),
    field<&LoggingMessageParams::logger>("logger", omit_empty),
    field<&LoggingMessageParams::data>("data"), wire::meta<&LoggingMessageParams::meta>(),
    rest<&LoggingMessageParams::extra>());

template <>
inline constexpr auto description<ProgressParams> = describe<ProgressParams>(
    "params", field<&ProgressParams::progress_token>("progressToken"),
    field<&ProgressParams::progress>("progress"), field<&ProgressParams::total>("total"),
    field<&ProgressParams::message>("message", omit_empty, wire::from(Feature::progress_message)),
    wire::meta<&ProgressParams::meta>(), rest<&ProgressParams::extra>());

/// Only protocol revision 2025-11-25 allows a cancellation without a request id.
template <>
inline constexpr auto description<CancelledParams> = describe<CancelledParams>(
    "params",
    field<&CancelledParams::request_id>("requestId", required, until{Version::v2025_06_18}),
    field<&CancelledParams::request_id>("requestId", since{wire::v2025_11_25},
                                        until{wire::v2025_11_25}),
    field<&CancelledParams::request_id>("requestId", required, since{wire::v2026_07_28}),
    field<&CancelledParams::reason>("reason", omit_empty), wire::meta<&CancelledParams::meta>(),
    rest<&CancelledParams::extra>());

}  // namespace lanyard::reflect
