// Drives the stream readers: feeds chunks and collects the frames.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rpc/framing.hpp"

namespace lanyard::test {

/// A frame that owns its text: ">" and the message, or "!" and what is wrong.
inline std::string show(rpc::Frame const& frame) {
    return (frame.kind == rpc::Frame::Kind::message ? ">" : "!") + std::string(frame.text);
}

template <class Reader>
void feed(Reader& reader, std::string_view chunk, std::vector<std::string>& frames) {
    // A copy of just the right size lets AddressSanitizer see a reader that looks beyond its input.
    std::vector<char> const exact(chunk.begin(), chunk.end());
    reader.feed({exact.data(), exact.size()});
    while (auto const frame = reader.next()) frames.push_back(show(*frame));
}

/// The frames of a stream that arrives in these chunks and then ends.
template <class Reader>
std::vector<std::string> frames_of(Reader reader, std::vector<std::string_view> const& chunks) {
    std::vector<std::string> frames;
    for (auto const chunk : chunks) feed(reader, chunk, frames);
    if (auto const last = reader.finish()) frames.push_back(show(*last));
    return frames;
}

}  // namespace lanyard::test
