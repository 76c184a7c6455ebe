// Codecs of content blocks, resource contents and sampling content.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "wire/tables/content.hpp"
#include "wire/tables/sampling.hpp"
#include "wire/tagged.hpp"

namespace lanyard {

namespace {

void encode_text(json::Writer& writer, std::string text,
                 std::optional<Annotations> const& annotations, EncodeContext const& context) {
    TextContent block;
    block.text = std::move(text);
    block.annotations = annotations;
    Codec<TextContent>::encode(writer, block, context);
}

// These functions write a text block instead of a block whose kind the revision lacks.

void encode_as_text(json::Writer& writer, AudioContent const& audio, EncodeContext const& context) {
    encode_text(writer, "[audio of type " + audio.mime_type + " is left out]", audio.annotations,
                context);
}

void encode_as_text(json::Writer& writer, ResourceLink const& link, EncodeContext const& context) {
    auto const& resource = link.resource;
    std::string text = "Resource: ";
    text.append(resource.title.empty() ? resource.name : resource.title);
    text.append(" (").append(resource.uri);
    if (!resource.mime_type.empty()) text.append(", ").append(resource.mime_type);
    text.push_back(')');
    if (!resource.description.empty()) text.append("\n").append(resource.description);
    encode_text(writer, std::move(text), resource.annotations, context);
}

// Decodes a block of one of `kinds`, or keeps a block of an unknown kind as it is.
template <class Block>
bool decode_block(json::View view, Block& out, std::span<wire::Tagged const> kinds,
                  DecodeContext& context) {
    if (wire::is_other(view, "type", kinds)) {
        return Codec<UnknownContent>::decode(view, out.template emplace<UnknownContent>(), context);
    }
    return wire::decode_tagged(view, &out, "type", kinds, context);
}

}  // namespace

void Codec<ContentBlock>::encode(json::Writer& writer, ContentBlock const& value,
                                 EncodeContext const& context) {
    auto const* const audio = std::get_if<AudioContent>(&value);
    auto const* const link = std::get_if<ResourceLink>(&value);
    if (audio != nullptr && !wire::has_feature(context.version, Feature::audio_content)) {
        encode_as_text(writer, *audio, context);
    } else if (link != nullptr && !wire::has_feature(context.version, Feature::resource_links)) {
        encode_as_text(writer, *link, context);
    } else {
        wire::encode_alternative(writer, value, context);
    }
}

bool Codec<ContentBlock>::decode(json::View view, ContentBlock& out, DecodeContext& context) {
    static constexpr std::array kinds{
        wire::tagged<ContentBlock, 0>("text"),     wire::tagged<ContentBlock, 1>("image"),
        wire::tagged<ContentBlock, 2>("audio"),    wire::tagged<ContentBlock, 3>("resource_link"),
        wire::tagged<ContentBlock, 4>("resource"),
    };
    return decode_block(view, out, kinds, context);
}

void Codec<UnknownContent>::encode(json::Writer& writer, UnknownContent const& value,
                                   EncodeContext const& context) {
    wire::detail::encode_raw_object(writer, &value.json, context);
}

bool Codec<UnknownContent>::decode(json::View view, UnknownContent& out, DecodeContext& context) {
    return wire::detail::decode_raw_object(view, &out.json, context);
}

void Codec<SamplingMessageContentBlock>::encode(json::Writer& writer,
                                                SamplingMessageContentBlock const& value,
                                                EncodeContext const& context) {
    auto const* const audio = std::get_if<AudioContent>(&value);
    if (audio != nullptr && !wire::has_feature(context.version, Feature::audio_content)) {
        encode_as_text(writer, *audio, context);
    } else {
        wire::encode_alternative(writer, value, context);
    }
}

bool Codec<SamplingMessageContentBlock>::decode(json::View view, SamplingMessageContentBlock& out,
                                                DecodeContext& context) {
    using Block = SamplingMessageContentBlock;
    static constexpr std::array kinds{
        wire::tagged<Block, 0>("text"),        wire::tagged<Block, 1>("image"),
        wire::tagged<Block, 2>("audio"),       wire::tagged<Block, 3>("tool_use"),
        wire::tagged<Block, 4>("tool_result"),
    };
    return decode_block(view, out, kinds, context);
}

void Codec<ResourceContents>::encode(json::Writer& writer, ResourceContents const& value,
                                     EncodeContext const& context) {
    wire::encode_alternative(writer, value, context);
}

bool Codec<ResourceContents>::decode(json::View view, ResourceContents& out,
                                     DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    auto const has = [&](std::string_view name) {
        auto const member = view.find(name);
        return member && !member->is_null();
    };
    bool const text = has("text");
    bool const blob = has("blob");
    if (text == blob) return context.fail("must have one of \"text\" and \"blob\"");
    // The member that is not used (`text` or `blob`) may be present with the value null. Decoding
    // then stores this null in `extra`, as an unknown member, so it is removed from `extra`
    // afterwards.
    if (text) {
        auto& contents = out.emplace<TextResourceContents>();
        if (!Codec<TextResourceContents>::decode(view, contents, context)) return false;
        contents.extra.erase("blob");
        return true;
    }
    auto& contents = out.emplace<BlobResourceContents>();
    if (!Codec<BlobResourceContents>::decode(view, contents, context)) return false;
    contents.extra.erase("text");
    return true;
}

namespace wire::detail {

using Blocks = std::vector<SamplingMessageContentBlock>;

namespace {

bool is_text(SamplingMessageContentBlock const& block) noexcept {
    return std::holds_alternative<TextContent>(block);
}

std::string joined_text(Blocks const& blocks) {
    std::string text;
    for (auto const& block : blocks) {
        if (!text.empty()) text.push_back('\n');
        text.append(std::get<TextContent>(block).text);
    }
    return text;
}

}  // namespace

bool decode_sampling_content(json::View view, void* out, DecodeContext& context) {
    auto& blocks = *static_cast<Blocks*>(out);
    if (view.is_array()) return Codec<Blocks>::decode(view, blocks, context);
    blocks.clear();
    return Codec<SamplingMessageContentBlock>::decode(view, blocks.emplace_back(), context);
}

void encode_sampling_content(json::Writer& writer, void const* value,
                             EncodeContext const& context) {
    auto const& blocks = *static_cast<Blocks const*>(value);
    if (blocks.size() == 1) {
        Codec<SamplingMessageContentBlock>::encode(writer, blocks.front(), context);
    } else if (!has_feature(context.version, Feature::sampling_content_lists) &&
               std::ranges::all_of(blocks, is_text)) {
        encode_text(writer, joined_text(blocks), std::nullopt, context);
    } else {
        Codec<Blocks>::encode(writer, blocks, context);
    }
}

}  // namespace wire::detail
}  // namespace lanyard
