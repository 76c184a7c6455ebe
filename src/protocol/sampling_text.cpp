#include "lanyard/protocol/sampling_text.hpp"

#include <utility>
#include <variant>

namespace lanyard {

namespace {

SamplingMessage message_of(Role role, std::string text) {
    SamplingMessage message;
    message.role = role;
    TextContent content;
    content.text = std::move(text);
    message.content.emplace_back(std::move(content));
    return message;
}

}  // namespace

SamplingMessage user_message(std::string text) {
    return message_of(Role::user, std::move(text));
}
SamplingMessage assistant_message(std::string text) {
    return message_of(Role::assistant, std::move(text));
}

std::string text_of(CreateMessageResult const& result) {
    std::string text;
    bool first = true;
    for (auto const& block : result.content) {
        auto const* const part = std::get_if<TextContent>(&block);
        if (part == nullptr) continue;
        if (!std::exchange(first, false)) text += '\n';
        text += part->text;
    }
    return text;
}

}  // namespace lanyard
