// Drives the readers of src/http: splits streams into pieces and collects the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/response_reader.hpp"
#include "http/message/sse_parser.hpp"
#include "http/server/request_reader.hpp"

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

/// With a copy of exactly the right size, AddressSanitizer finds a reader that reads past the end
/// of its input or keeps a view into bytes that were freed.
inline std::vector<char> exact_copy(std::string_view chunk) {
    return {chunk.begin(), chunk.end()};
}

/// Returns each event as "type|data|id"; "!" if the parser failed.
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

/// One line per request: "POST /mcp [Host=a|X=b] body", with "..." if the body is incomplete and
/// "!400 reason" if the reader refused the request.
inline std::vector<std::string> requests_of(http::RequestReader& reader, Chunks const& chunks) {
    using Event = http::RequestReader::Event;
    std::vector<std::string> requests;
    bool open = false;
    for (auto const chunk : chunks) {
        auto const bytes = exact_copy(chunk);
        reader.feed({bytes.data(), bytes.size()});
        for (bool more = true; more;) {
            switch (reader.next()) {
                case Event::need_more:
                    more = false;
                    break;
                case Event::head: {
                    auto const& head = reader.head();
                    auto text =
                        std::string(head.method_text) + " " + std::string(head.target) + " [";
                    for (auto const& field : head.fields.all()) {
                        if (text.back() != '[') text += '|';
                        text += std::string(field.name) + "=" + std::string(field.value);
                    }
                    requests.push_back(text + "] ");
                    open = true;
                    break;
                }
                case Event::body:
                    requests.back() += reader.body();
                    break;
                case Event::done:
                    open = false;
                    break;
                case Event::failed:
                    if (open) requests.back() += "...";
                    requests.push_back("!" + std::to_string(number_of(reader.rejection().status)) +
                                       " " + std::string(reader.rejection().reason));
                    return requests;
            }
        }
    }
    if (open) requests.back() += "...";
    return requests;
}

inline std::vector<std::string> requests_of(Chunks const& chunks,
                                            http::RequestLimits const& limits = {}) {
    http::RequestReader reader(limits);
    return requests_of(reader, chunks);
}

/// One line per response: "200 [Type=a] body", with "..." and "!fault" likewise. The connection
/// ends after the last chunk.
inline std::vector<std::string> responses_of(http::ResponseReader& reader, Chunks const& chunks) {
    using Event = http::ResponseReader::Event;
    std::vector<std::string> responses;
    bool open = false;
    auto const take = [&](Event event) {
        if (event == Event::head) {
            auto text = std::to_string(reader.head().status) + " [";
            for (auto const& field : reader.head().fields.all()) {
                if (text.back() != '[') text += '|';
                text += std::string(field.name) + "=" + std::string(field.value);
            }
            responses.push_back(text + "] ");
            open = true;
        } else if (event == Event::body) {
            responses.back() += reader.body();
        } else if (event == Event::done) {
            open = false;
        } else if (event == Event::failed) {
            if (open) responses.back() += "...";
            responses.push_back("!" + std::string(reader.fault()));
        }
        return event != Event::need_more && event != Event::failed;
    };
    for (auto const chunk : chunks) {
        auto const bytes = exact_copy(chunk);
        reader.feed({bytes.data(), bytes.size()});
        while (take(reader.next())) continue;
        if (!reader.fault().empty()) return responses;
    }
    take(reader.finish());
    return responses;
}

inline std::vector<std::string> responses_of(Chunks const& chunks,
                                             http::ResponseLimits const& limits = {}) {
    http::ResponseReader reader(limits);
    return responses_of(reader, chunks);
}

}  // namespace lanyard::test
