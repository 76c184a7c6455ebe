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
    return wire::decode_tagged(view, &out, "type", kinds, context);
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
    bool const text = view.find("text").has_value();
    bool const blob = view.find("blob").has_value();
    if (text == blob) return context.fail("must have one of \"text\" and \"blob\"");
    if (text) {
        return Codec<TextResourceContents>::decode(view, out.emplace<TextResourceContents>(),
                                                   context);
    }
    return Codec<BlobResourceContents>::decode(view, out.emplace<BlobResourceContents>(), context);
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
