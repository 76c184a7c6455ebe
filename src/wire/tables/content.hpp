// Wire tables of content blocks and resources.
#pragma once

#include "lanyard/protocol/content.hpp"
#include "wire/tables/base.hpp"

namespace lanyard {

/// The kinds are distinguished by "type". Every kind is decoded in every revision; kinds that a
/// revision lacks are encoded as text.
template <>
struct Codec<ContentBlock> {
    static void encode(json::Writer& writer, ContentBlock const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, ContentBlock& out, DecodeContext& context);
};

/// Keeps the whole block as it was received.
template <>
struct Codec<UnknownContent> {
    static void encode(json::Writer& writer, UnknownContent const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, UnknownContent& out, DecodeContext& context);
};

template <>
struct Codec<SamplingMessageContentBlock> {
    static void encode(json::Writer& writer, SamplingMessageContentBlock const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, SamplingMessageContentBlock& out, DecodeContext& context);
};

/// Text if the JSON object has the member `text`, binary data if it has the member `blob`.
template <>
struct Codec<ResourceContents> {
    static void encode(json::Writer& writer, ResourceContents const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, ResourceContents& out, DecodeContext& context);
};

}  // namespace lanyard

namespace lanyard::reflect {

template <>
inline constexpr auto description<TextContent> = describe<TextContent>(
    "text content", constant<TextContent>("type", "text"), field<&TextContent::text>("text"),
    field<&TextContent::annotations>("annotations"),
    wire::meta<&TextContent::meta>(wire::from(Feature::meta_on_types)),
    rest<&TextContent::extra>());

template <>
inline constexpr auto description<ImageContent> = describe<ImageContent>(
    "image content", constant<ImageContent>("type", "image"), field<&ImageContent::data>("data"),
    field<&ImageContent::mime_type>("mimeType"), field<&ImageContent::annotations>("annotations"),
    wire::meta<&ImageContent::meta>(wire::from(Feature::meta_on_types)),
    rest<&ImageContent::extra>());

template <>
inline constexpr auto description<AudioContent> = describe<AudioContent>(
    "audio content", constant<AudioContent>("type", "audio"), field<&AudioContent::data>("data"),
    field<&AudioContent::mime_type>("mimeType"), field<&AudioContent::annotations>("annotations"),
    wire::meta<&AudioContent::meta>(wire::from(Feature::meta_on_types)),
    rest<&AudioContent::extra>());

template <>
inline constexpr auto description<Resource> = describe<Resource>(
    "Resource", field<&Resource::uri>("uri"), field<&Resource::name>("name"),
    field<&Resource::title>("title", omit_empty, wire::from(Feature::titles)),
    field<&Resource::description>("description", omit_empty),
    field<&Resource::mime_type>("mimeType", omit_empty), field<&Resource::size>("size"),
    field<&Resource::icons>("icons", omit_empty, wire::from(Feature::icons)),
    field<&Resource::annotations>("annotations"),
    wire::meta<&Resource::meta>(wire::from(Feature::meta_on_types)), rest<&Resource::extra>());

template <>
inline constexpr auto description<ResourceLink> = describe<ResourceLink>(
    "resource link", constant<ResourceLink>("type", "resource_link"),
    wire::through<&ResourceLink::resource, &Resource::uri>("uri"),
    wire::through<&ResourceLink::resource, &Resource::name>("name"),
    wire::through<&ResourceLink::resource, &Resource::title>("title", omit_empty),
    wire::through<&ResourceLink::resource, &Resource::description>("description", omit_empty),
    wire::through<&ResourceLink::resource, &Resource::mime_type>("mimeType", omit_empty),
    wire::through<&ResourceLink::resource, &Resource::size>("size"),
    wire::through<&ResourceLink::resource, &Resource::icons>("icons", omit_empty,
                                                             wire::from(Feature::icons)),
    wire::through<&ResourceLink::resource, &Resource::annotations>("annotations"),
    wire::through<&ResourceLink::resource, &Resource::meta>("_meta", omit_empty),
    wire::rest_through<&ResourceLink::resource, &Resource::extra>());

template <>
inline constexpr auto description<TextResourceContents> = describe<TextResourceContents>(
    "text resource", field<&TextResourceContents::uri>("uri"),
    field<&TextResourceContents::mime_type>("mimeType", omit_empty),
    field<&TextResourceContents::text>("text"),
    wire::meta<&TextResourceContents::meta>(wire::from(Feature::meta_on_types)),
    rest<&TextResourceContents::extra>());

template <>
inline constexpr auto description<BlobResourceContents> = describe<BlobResourceContents>(
    "blob resource", field<&BlobResourceContents::uri>("uri"),
    field<&BlobResourceContents::mime_type>("mimeType", omit_empty),
    field<&BlobResourceContents::blob>("blob"),
    wire::meta<&BlobResourceContents::meta>(wire::from(Feature::meta_on_types)),
    rest<&BlobResourceContents::extra>());

template <>
inline constexpr auto description<EmbeddedResource> = describe<EmbeddedResource>(
    "embedded resource", constant<EmbeddedResource>("type", "resource"),
    field<&EmbeddedResource::resource>("resource"),
    field<&EmbeddedResource::annotations>("annotations"),
    wire::meta<&EmbeddedResource::meta>(wire::from(Feature::meta_on_types)),
    rest<&EmbeddedResource::extra>());

template <>
inline constexpr auto description<ToolUseContent> =
    describe<ToolUseContent>("tool use", constant<ToolUseContent>("type", "tool_use"),
                             field<&ToolUseContent::id>("id"), field<&ToolUseContent::name>("name"),
                             wire::raw_object<&ToolUseContent::input>("input", required),
                             wire::meta<&ToolUseContent::meta>());

template <>
inline constexpr auto description<ToolResultContent> = describe<ToolResultContent>(
    "tool result", constant<ToolResultContent>("type", "tool_result"),
    field<&ToolResultContent::tool_use_id>("toolUseId"),
    field<&ToolResultContent::content>("content"),
    wire::raw_object_only<&ToolResultContent::structured_content>("structuredContent",
                                                                  until{wire::v2025_11_25}),
    field<&ToolResultContent::structured_content>("structuredContent",
                                                  wire::from(Feature::any_structured_output)),
    wire::flag<&ToolResultContent::is_error>("isError"), wire::meta<&ToolResultContent::meta>());

}  // namespace lanyard::reflect
