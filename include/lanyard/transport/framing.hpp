// How messages are told apart on a byte stream, and how long one may be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanyard {

enum class Framing : std::uint8_t {
    newline,         ///< one message a line; what MCP uses
    content_length,  ///< a header block with the length before each message, as editors use it
};

/// Options of every transport over a byte stream.
class StreamOptions {
public:
    StreamOptions() = default;

    StreamOptions& framing(Framing framing) noexcept {
        framing_ = framing;
        return *this;
    }
    /// Longer messages are refused before they are kept: a line is skipped and reported, with
    /// Content-Length the connection ends.
    StreamOptions& max_message_bytes(std::size_t bytes) noexcept {
        max_message_bytes_ = bytes;
        return *this;
    }

    Framing framing() const noexcept { return framing_; }
    std::size_t max_message_bytes() const noexcept { return max_message_bytes_; }

private:
    Framing framing_ = Framing::newline;
    std::size_t max_message_bytes_ = 16 * 1024 * 1024;
};

}  // namespace lanyard
