// The text in a list of content blocks.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lanyard/protocol/content.hpp"

namespace lanyard::protocol {

/// Returns the text of all text blocks, separated by line breaks. `Block` is a variant with
/// TextContent.
template <class Block>
std::string text_of_blocks(std::vector<Block> const& blocks) {
    std::string text;
    [[maybe_unused]] bool first = true;
    for (auto const& block : blocks) {
        auto const* const part = std::get_if<TextContent>(&block);
        if (part == nullptr) continue;
        text += part->text;
    }
    return text;
}

}  // namespace lanyard::protocol
