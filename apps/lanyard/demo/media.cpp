// Tools that return more than text: images, sound, links to resources, embedded resources.
#include "lanyard/base64.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>

#include "demo/demo.hpp"
#include "demo/picture.hpp"

namespace lanyard::app::demo {
namespace {

void append_little_endian(std::string& out, std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

/// Returns a WAV file with a quarter of a second of the musical note A4 (440 Hz): 8 kHz, one
/// channel, 8 bits.
std::string tone() {
    constexpr std::uint32_t rate = 8000;
    constexpr std::uint32_t samples = rate / 4;
    std::string wav = "RIFF";
    append_little_endian(wav, 36 + samples, 4);
    wav += "WAVEfmt ";
    append_little_endian(wav, 16, 4);    // size of this chunk
    append_little_endian(wav, 1, 2);     // PCM samples
    append_little_endian(wav, 1, 2);     // channels
    append_little_endian(wav, rate, 4);  // samples per second
    append_little_endian(wav, rate, 4);  // bytes per second
    append_little_endian(wav, 1, 2);     // bytes per sample
    append_little_endian(wav, 8, 2);     // bits per sample
    wav += "data";
    append_little_endian(wav, samples, 4);
    for (std::uint32_t i = 0; i < samples; ++i) {
        auto const angle = 2 * std::numbers::pi * 440 * i / rate;
        wav += static_cast<char>(std::lround(128 + 100 * std::sin(angle)));
    }
    return wav;
}

TextContent text(std::string words) {
    TextContent content;
    content.text = std::move(words);
    return content;
}

ImageContent image() {
    ImageContent content;
    content.data = base64::encode(picture_png());
    content.mime_type = "image/png";
    return content;
}

AudioContent sound() {
    AudioContent content;
    content.data = base64::encode(tone());
    content.mime_type = "audio/wav";
    return content;
}

ResourceLink link(std::string uri, std::string name, std::string mime_type) {
    ResourceLink content;
    content.resource.uri = std::move(uri);
    content.resource.name = std::move(name);
    content.resource.mime_type = std::move(mime_type);
    return content;
}

EmbeddedResource embedded_note() {
    TextResourceContents note;
    note.uri = "demo://note";
    note.mime_type = "text/markdown";
    note.text = "# A note\n\nThis resource came with the answer.\n";
    EmbeddedResource content;
    content.resource = std::move(note);
    return content;
}

template <class... Blocks>
CallToolResult result_of(Blocks... blocks) {
    CallToolResult result;
    (result.content.emplace_back(std::move(blocks)), ...);
    return result;
}

TextContent annotated_text() {
    auto content = text("For the user's eyes, and important");
    Annotations annotations;
    annotations.audience = {Role::user};
    annotations.priority = 1.0;
    content.annotations = annotations;
    return content;
}

}  // namespace

void add_media(Server& server) {
    server.tool("picture", "Return an image",
                [] { return CallToolResult::image(picture_png(), "image/png"); });
    server.tool("sound", "Return a sound", [] { return result_of(sound()); });
    server.tool("link", "Return links to resources", [] {
        return result_of(link("demo://readme", "readme", "text/markdown"),
                         link("demo://picture", "picture", "image/png"));
    });
    server.tool("embed", "Return a whole resource", [] { return result_of(embedded_note()); });
    server.tool("mix", "Return content of every kind", [] {
        return result_of(annotated_text(), image(), sound(),
                         link("demo://readme", "readme", "text/markdown"), embedded_note());
    });
}

}  // namespace lanyard::app::demo
