// Wire tables of sampling and roots.
#pragma once

#include "lanyard/protocol/roots.hpp"
#include "lanyard/protocol/sampling.hpp"
#include "wire/tables/content.hpp"
#include "wire/tables/tool.hpp"

namespace lanyard::wire {

namespace detail {

bool decode_sampling_content(json::View view, void* out, DecodeContext& context);
void encode_sampling_content(json::Writer& writer, void const* value, EncodeContext const& context);

}  // namespace detail

/// The field for content blocks. A single block is written as itself, several blocks as an array.
/// In revisions without arrays, several blocks are joined into one if all of them are text.
template <auto Member>
constexpr auto sampling_content() {
    auto built = field<Member>("content");
    built.field.type.decode = &detail::decode_sampling_content;
    built.field.type.encode = &detail::encode_sampling_content;
    return built;
}

}  // namespace lanyard::wire

namespace lanyard::reflect {

template <>
inline constexpr auto description<ModelHint> =
    describe<ModelHint>("ModelHint", field<&ModelHint::name>("name", omit_empty));

template <>
inline constexpr auto description<ModelPreferences> = describe<ModelPreferences>(
    "ModelPreferences", field<&ModelPreferences::hints>("hints", omit_empty),
    field<&ModelPreferences::cost_priority>("costPriority", min{0}, max{1}),
    field<&ModelPreferences::speed_priority>("speedPriority", min{0}, max{1}),
    field<&ModelPreferences::intelligence_priority>("intelligencePriority", min{0}, max{1}));

template <>
inline constexpr auto description<ToolChoice> =
    describe<ToolChoice>("ToolChoice", field<&ToolChoice::mode>("mode"));

template <>
inline constexpr auto description<SamplingMessage> = describe<SamplingMessage>(
    "SamplingMessage", field<&SamplingMessage::role>("role"),
    wire::sampling_content<&SamplingMessage::content>(),
    wire::meta<&SamplingMessage::meta>(wire::from(Feature::sampling_tools)));

template <>
inline constexpr auto description<CreateMessageParams> = describe<CreateMessageParams>(
    "sampling/createMessage params", field<&CreateMessageParams::messages>("messages"),
    field<&CreateMessageParams::model_preferences>("modelPreferences"),
    field<&CreateMessageParams::system_prompt>("systemPrompt", omit_empty),
    field<&CreateMessageParams::include_context>("includeContext"),
    field<&CreateMessageParams::temperature>("temperature"),
    field<&CreateMessageParams::max_tokens>("maxTokens"),
    field<&CreateMessageParams::stop_sequences>("stopSequences", omit_empty),
    field<&CreateMessageParams::metadata>("metadata"),
    // `tools` and `toolChoice` are not limited to certain revisions, because they depend on the
    // client's capability only.
    field<&CreateMessageParams::tools>("tools", omit_empty),
    field<&CreateMessageParams::tool_choice>("toolChoice"),
    field<&CreateMessageParams::task>("task", wire::from(Feature::core_tasks),
                                      wire::upto(Feature::core_tasks)),
    wire::meta<&CreateMessageParams::meta>(until{wire::v2025_11_25}),
    rest<&CreateMessageParams::extra>());

/// The table has no `resultType`. Only revision 2026-07-28 has that member, and in that revision
/// this result is sent inside a retried request, not as the result of a request.
template <>
inline constexpr auto description<CreateMessageResult> = describe<CreateMessageResult>(
    "sampling/createMessage result", field<&CreateMessageResult::role>("role"),
    wire::sampling_content<&CreateMessageResult::content>(),
    field<&CreateMessageResult::model>("model"),
    field<&CreateMessageResult::stop_reason>("stopReason", omit_empty),
    wire::meta<&CreateMessageResult::meta>(), rest<&CreateMessageResult::extra>());

template <>
inline constexpr auto description<Root> =
    describe<Root>("Root", field<&Root::uri>("uri"), field<&Root::name>("name", omit_empty),
                   wire::meta<&Root::meta>(wire::from(Feature::meta_on_types)));

template <>
inline constexpr auto description<ListRootsResult> = describe<ListRootsResult>(
    "roots/list result", wire::entries<&ListRootsResult::roots>("roots"),
    wire::meta<&ListRootsResult::meta>(until{wire::v2025_11_25}), rest<&ListRootsResult::extra>());

}  // namespace lanyard::reflect
