#include "lanyard/protocol/sampling_text.hpp"

#include <utility>

#include "protocol/content_text.hpp"

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
    return protocol::text_of_blocks(result.content);
}

}  // namespace lanyard
