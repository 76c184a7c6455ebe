// Codecs of content blocks, resource contents and sampling content.
#include <array>

#include "wire/tables/content.hpp"
#include "wire/tables/sampling.hpp"
#include "wire/tagged.hpp"

namespace lanyard {

void Codec<ContentBlock>::encode(json::Writer& writer, ContentBlock const& value,
                                 EncodeContext const& context) {
    wire::encode_alternative(writer, value, context);
}

bool Codec<ContentBlock>::decode(json::View view, ContentBlock& out, DecodeContext& context) {
    static constexpr std::array kinds{
        wire::tagged<ContentBlock, 0>("text"),
        wire::tagged<ContentBlock, 1>("image"),
        wire::tagged<ContentBlock, 2>("audio", Feature::audio_content),
        wire::tagged<ContentBlock, 3>("resource_link", Feature::resource_links),
        wire::tagged<ContentBlock, 4>("resource"),
    };
    if (wire::is_other(view, "type", kinds)) {
        return Codec<UnknownContent>::decode(view, out.emplace<UnknownContent>(), context);
    }
    return wire::decode_tagged(view, &out, "type", kinds, context);
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
    wire::encode_alternative(writer, value, context);
}

bool Codec<SamplingMessageContentBlock>::decode(json::View view, SamplingMessageContentBlock& out,
                                                DecodeContext& context) {
    using Block = SamplingMessageContentBlock;
    static constexpr std::array kinds{
        wire::tagged<Block, 0>("text"),
        wire::tagged<Block, 1>("image"),
        wire::tagged<Block, 2>("audio", Feature::audio_content),
        wire::tagged<Block, 3>("tool_use", Feature::sampling_tools),
        wire::tagged<Block, 4>("tool_result", Feature::sampling_tools),
    };
    return wire::decode_tagged(view, &out, "type", kinds, context);
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
    // The null that stands for the other one of the two is not to be kept.
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

bool decode_sampling_content(json::View view, void* out, DecodeContext& context) {
    auto& blocks = *static_cast<Blocks*>(out);
    if (view.is_array()) {
        if (!has_feature(context.version(), Feature::sampling_content_lists)) {
            return fail_lacking(context, Feature::sampling_content_lists);
        }
        return Codec<Blocks>::decode(view, blocks, context);
    }
    blocks.clear();
    return Codec<SamplingMessageContentBlock>::decode(view, blocks.emplace_back(), context);
}

void encode_sampling_content(json::Writer& writer, void const* value,
                             EncodeContext const& context) {
    auto const& blocks = *static_cast<Blocks const*>(value);
    if (blocks.size() == 1) {
        Codec<SamplingMessageContentBlock>::encode(writer, blocks.front(), context);
    } else {
        Codec<Blocks>::encode(writer, blocks, context);
    }
}

}  // namespace wire::detail
}  // namespace lanyard
