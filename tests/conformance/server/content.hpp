// Content that several fixtures return, request or receive.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "lanyard/protocol/content.hpp"
#include "lanyard/protocol/sampling.hpp"

namespace lanyard::conformance {

/// A PNG file of one red pixel, in base64.
inline constexpr std::string_view red_dot =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg"
    "gg==";

inline TextContent text(std::string words) {
    TextContent content;
    content.text = std::move(words);
    return content;
}

inline ImageContent image() {
    ImageContent content;
    content.data = red_dot;
    content.mime_type = "image/png";
    return content;
}

inline EmbeddedResource embedded(std::string uri, std::string mime_type, std::string words) {
    TextResourceContents contents;
    contents.uri = std::move(uri);
    contents.mime_type = std::move(mime_type);
    contents.text = std::move(words);
    EmbeddedResource content;
    content.resource = std::move(contents);
    return content;
}

/// A question to the client's model.
inline CreateMessageParams to_model(std::string question) {
    SamplingMessage message;
    message.content.emplace_back(text(std::move(question)));
    CreateMessageParams params;
    params.messages.push_back(std::move(message));
    params.max_tokens = 100;
    return params;
}

inline std::string words_of(CreateMessageResult const& answer) {
    std::string words;
    for (auto const& block : answer.content) {
        if (auto const* part = std::get_if<TextContent>(&block)) words += part->text;
    }
    return words;
}

}  // namespace lanyard::conformance
