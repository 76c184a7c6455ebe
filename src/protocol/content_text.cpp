#include "lanyard/protocol/content_text.hpp"

#include <utility>
#include <variant>

namespace lanyard {

std::string text_of(ResourceContents const& contents) {
    auto const* const held = std::get_if<TextResourceContents>(&contents);
    return held == nullptr ? std::string() : held->text;
}

std::string text_of(ReadResourceResult const& result) {
    std::string text;
    bool first = true;
    for (auto const& contents : result.contents) {
        auto const* const part = std::get_if<TextResourceContents>(&contents);
        if (part == nullptr) continue;
        if (!std::exchange(first, false)) text += '\n';
        text += part->text;
    }
    return text;
}

std::string text_of(ContentBlock const& block) {
    if (auto const* const held = std::get_if<TextContent>(&block)) return held->text;
    auto const* const embedded = std::get_if<EmbeddedResource>(&block);
    return embedded == nullptr ? std::string() : text_of(embedded->resource);
}

std::string text_of(PromptMessage const& message) {
    return text_of(message.content);
}

}  // namespace lanyard
