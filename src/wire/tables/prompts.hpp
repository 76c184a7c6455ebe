// Wire tables of prompts and completion.
#pragma once

#include "lanyard/protocol/completion.hpp"
#include "lanyard/protocol/prompts.hpp"
#include "wire/tables/content.hpp"
#include "wire/tables/input_required.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<PromptArgument> = describe<PromptArgument>(
    "PromptArgument", field<&PromptArgument::name>("name"),
    field<&PromptArgument::title>("title", omit_empty, wire::from(Feature::titles)),
    field<&PromptArgument::description>("description", omit_empty),
    wire::flag<&PromptArgument::required>("required"), rest<&PromptArgument::extra>());

template <>
inline constexpr auto description<Prompt> = describe<Prompt>(
    "Prompt", field<&Prompt::name>("name"),
    field<&Prompt::title>("title", omit_empty, wire::from(Feature::titles)),
    field<&Prompt::description>("description", omit_empty),
    field<&Prompt::arguments>("arguments", omit_empty),
    field<&Prompt::icons>("icons", omit_empty, wire::from(Feature::icons)),
    wire::meta<&Prompt::meta>(wire::from(Feature::meta_on_types)), rest<&Prompt::extra>());

template <>
inline constexpr auto description<PromptMessage> = describe<PromptMessage>(
    "PromptMessage", field<&PromptMessage::role>("role"), field<&PromptMessage::content>("content"),
    rest<&PromptMessage::extra>());

template <>
inline constexpr auto description<ListPromptsResult> = describe<ListPromptsResult>(
    "prompts/list result", wire::complete<ListPromptsResult>(),
    wire::entries<&ListPromptsResult::prompts>("prompts"),
    field<&ListPromptsResult::next_cursor>("nextCursor"),
    wire::cache_ttl<&ListPromptsResult::cache>(), wire::cache_scope<&ListPromptsResult::cache>(),
    wire::meta<&ListPromptsResult::meta>(), rest<&ListPromptsResult::extra>());

template <>
inline constexpr auto description<GetPromptParams> = describe<GetPromptParams>(
    "prompts/get params", field<&GetPromptParams::name>("name"),
    // Nullable, because some clients write null for an empty map.
    field<&GetPromptParams::arguments>("arguments", omit_empty, nullable),
    wire::input_responses<&GetPromptParams::retry>(),
    wire::request_state<&GetPromptParams::retry>(), wire::meta<&GetPromptParams::meta>(),
    rest<&GetPromptParams::extra>());

template <>
inline constexpr auto description<GetPromptResult> = describe<GetPromptResult>(
    "prompts/get result", wire::complete<GetPromptResult>(),
    field<&GetPromptResult::description>("description", omit_empty),
    field<&GetPromptResult::messages>("messages"), wire::meta<&GetPromptResult::meta>(),
    rest<&GetPromptResult::extra>());

template <>
inline constexpr auto description<PromptReference> = describe<PromptReference>(
    "ref/prompt", constant<PromptReference>("type", "ref/prompt"),
    field<&PromptReference::name>("name"),
    field<&PromptReference::title>("title", omit_empty, wire::from(Feature::titles)));

template <>
inline constexpr auto description<ResourceTemplateReference> = describe<ResourceTemplateReference>(
    "ref/resource", constant<ResourceTemplateReference>("type", "ref/resource"),
    field<&ResourceTemplateReference::uri>("uri"));

template <>
inline constexpr auto description<CompletionArgument> =
    describe<CompletionArgument>("argument", field<&CompletionArgument::name>("name"),
                                 field<&CompletionArgument::value>("value"));

template <>
inline constexpr auto description<CompletionContext> = describe<CompletionContext>(
    "context", field<&CompletionContext::arguments>("arguments", omit_empty));

template <>
inline constexpr auto description<CompleteParams> = describe<CompleteParams>(
    "completion/complete params", field<&CompleteParams::ref>("ref"),
    field<&CompleteParams::argument>("argument"),
    // Some clients send `context` even in revisions that do not have it.
    wire::read_only<&CompleteParams::context>("context", until{Version::v2025_03_26}),
    field<&CompleteParams::context>("context", wire::from(Feature::completion_context)),
    wire::meta<&CompleteParams::meta>(), rest<&CompleteParams::extra>());

template <>
inline constexpr auto description<Completion> = describe<Completion>(
    "completion", field<&Completion::values>("values", max_items{max_completion_values}),
    field<&Completion::total>("total"), field<&Completion::has_more>("hasMore"));

template <>
inline constexpr auto description<CompleteResult> =
    describe<CompleteResult>("completion/complete result", wire::complete<CompleteResult>(),
                             field<&CompleteResult::completion>("completion"),
                             wire::meta<&CompleteResult::meta>(), rest<&CompleteResult::extra>());

}  // namespace lanyard::reflect
