// Drives the stream readers: feeds chunks and collects the frames.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/framing.hpp"

namespace lanyard::test {

/// Returns a frame as text: ">" and the message, or "!" and the fault.
inline std::string show(rpc::Frame const& frame) {
    return (frame.kind == rpc::Frame::Kind::message ? ">" : "!") + std::string(frame.text);
}

template <class Reader>
void feed(Reader& reader, std::string_view chunk, std::vector<std::string>& frames) {
    // With a copy of exactly the right size, AddressSanitizer finds reads past the end of the
    // input.
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
