// How messages are delimited on a byte stream, and how long a message may be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanyard {

/// How messages are delimited.
enum class Framing : std::uint8_t {
    newline,         ///< one message per line; the framing of MCP
    content_length,  ///< a header with the length before each message, as used by editors
};

/// Options of every transport over a byte stream.
class StreamOptions {
public:
    StreamOptions() = default;

    /// How messages are delimited. Default: newline.
    StreamOptions& framing(Framing framing) noexcept {
        framing_ = framing;
        return *this;
    }
    /// The maximum size of a message on stdin, stdout or a pipe. Default: 16 MiB. A larger message
    /// is not buffered: with newline framing its line is skipped and reported, with Content-Length
    /// the connection ends.
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
