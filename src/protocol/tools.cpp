#include "lanyard/protocol/tools.hpp"

#include <utility>

#include "lanyard/base64.hpp"

namespace lanyard {

CallToolResult CallToolResult::text(std::string text) {
    TextContent block;
    block.text = std::move(text);
    CallToolResult result;
    result.content.emplace_back(std::move(block));
    return result;
}

CallToolResult CallToolResult::error(std::string text) {
    auto result = CallToolResult::text(std::move(text));
    result.is_error = true;
    return result;
}

CallToolResult CallToolResult::image(std::span<std::byte const> bytes, std::string mime_type) {
    return image(std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size()),
                 std::move(mime_type));
}

CallToolResult CallToolResult::image(std::string_view bytes, std::string mime_type) {
    ImageContent block;
    block.data = base64::encode(bytes);
    block.mime_type = std::move(mime_type);
    CallToolResult result;
    result.content.emplace_back(std::move(block));
    return result;
}

}  // namespace lanyard
