// Drives the readers of src/http: cuts streams into pieces and collects what comes out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/sse_parser.hpp"

namespace lanyard::test {

using Chunks = std::vector<std::string_view>;

/// The stream in pieces of this many bytes.
inline Chunks cut_every(std::string_view stream, std::size_t size) {
    Chunks chunks;
    for (std::size_t at = 0; at < stream.size(); at += size) {
        chunks.push_back(stream.substr(at, size));
    }
    return chunks;
}

inline Chunks cut_at(std::string_view stream, std::size_t at) {
    return {stream.substr(0, at), stream.substr(at)};
}

/// Pieces of 0 to 12 bytes, different for each seed.
inline Chunks cut_by(std::string_view stream, std::uint32_t seed) {
    Chunks chunks;
    while (!stream.empty()) {
        seed = seed * 1'664'525 + 1'013'904'223;
        auto const chunk = stream.substr(0, (seed >> 24) % 13);
        chunks.push_back(chunk);
        stream.remove_prefix(chunk.size());
    }
    return chunks;
}

/// A copy of just the right size lets AddressSanitizer see a reader that looks beyond its input or
/// that keeps a view into bytes that are gone.
inline std::vector<char> exact_copy(std::string_view chunk) {
    return {chunk.begin(), chunk.end()};
}

/// An event as "type|data|id"; "!" where the parser gave up.
inline std::vector<std::string> events_of(http::SseParser& parser, Chunks const& chunks) {
    std::vector<std::string> events;
    for (auto const chunk : chunks) {
        auto const bytes = exact_copy(chunk);
        parser.feed({bytes.data(), bytes.size()});
        while (auto const event = parser.next()) {
            events.push_back(std::string(event->type) + "|" + std::string(event->data) + "|" +
                             std::string(event->id));
        }
    }
    if (parser.failed()) events.emplace_back("!");
    return events;
}

inline std::vector<std::string> events_of(Chunks const& chunks,
                                          std::size_t limit = http::SseParser::default_max_bytes) {
    http::SseParser parser(limit);
    return events_of(parser, chunks);
}

}  // namespace lanyard::test
