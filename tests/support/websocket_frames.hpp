// Frames of WebSockets (RFC 6455, section 5.2), written and read by hand, so that tests can send
// what no correct client would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanyard::test {

namespace opcode {
inline constexpr unsigned continuation = 0x0;
inline constexpr unsigned text = 0x1;
inline constexpr unsigned binary = 0x2;
inline constexpr unsigned close = 0x8;
inline constexpr unsigned ping = 0x9;
inline constexpr unsigned pong = 0xA;
}  // namespace opcode

/// A frame, as correct or incorrect as a test needs it.
struct FrameSpec {
    unsigned opcode = opcode::text;
    std::string payload{};
    bool fin = true;
    unsigned reserved = 0;  ///< the three bits, 4 for RSV1
    bool masked = true;
    /// Writes the length in this many bytes, 2 or 8; 0: in the fewest possible.
    int length_bytes = 0;
};

inline std::string frame(FrameSpec const& spec) {
    std::string out;
    out.push_back(static_cast<char>((spec.fin ? 0x80U : 0U) | (spec.reserved << 4) | spec.opcode));
    auto const mask_bit = spec.masked ? 0x80U : 0U;
    auto const size = spec.payload.size();
    int const bytes = spec.length_bytes != 0 ? spec.length_bytes
                      : size < 126           ? 0
                      : size < 65536         ? 2
                                             : 8;
    if (bytes == 0) {
        out.push_back(static_cast<char>(mask_bit | size));
    } else {
        out.push_back(static_cast<char>(mask_bit | (bytes == 2 ? 126U : 127U)));
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            out.push_back(static_cast<char>((size >> shift) & 0xFF));
        }
    }
    if (!spec.masked) return out + spec.payload;
    constexpr unsigned char key[4] = {0x37, 0xFA, 0x21, 0x3D};
    for (auto const byte : key) out.push_back(static_cast<char>(byte));
    for (std::size_t i = 0; i < size; ++i) {
        out.push_back(static_cast<char>(static_cast<unsigned char>(spec.payload[i]) ^ key[i % 4]));
    }
    return out;
}

inline std::string text_frame(std::string payload, bool masked = true) {
    return frame({.opcode = opcode::text, .payload = std::move(payload), .masked = masked});
}

/// The payload of a close frame.
inline std::string close_payload(unsigned code, std::string_view reason = {}) {
    std::string out;
    out.push_back(static_cast<char>(code >> 8));
    out.push_back(static_cast<char>(code & 0xFF));
    return out.append(reason);
}

inline std::string close_frame(unsigned code, std::string_view reason = {}, bool masked = true) {
    return frame(
        {.opcode = opcode::close, .payload = close_payload(code, reason), .masked = masked});
}

struct ReadFrame {
    unsigned opcode;
    std::string payload;
    bool fin;
    unsigned reserved;
    bool masked;

    /// The code of a close frame; 1005 if it has none.
    unsigned close_code() const {
        if (payload.size() < 2) return 1005;
        return static_cast<unsigned>(static_cast<unsigned char>(payload[0])) << 8 |
               static_cast<unsigned char>(payload[1]);
    }
};

/// Removes the first complete frame from the bytes and returns it.
inline std::optional<ReadFrame> take_frame(std::string& bytes) {
    auto const at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (bytes.size() < 2) return std::nullopt;
    ReadFrame read{.opcode = at(0) & 0x0FU,
                   .payload = {},
                   .fin = (at(0) & 0x80U) != 0,
                   .reserved = (at(0) >> 4) & 0x7U,
                   .masked = (at(1) & 0x80U) != 0};
    std::uint64_t size = at(1) & 0x7FU;
    std::size_t head = 2;
    auto const bytes_of_size = size == 126 ? 2U : size == 127 ? 8U : 0U;
    if (bytes_of_size != 0) {
        if (bytes.size() < head + bytes_of_size) return std::nullopt;
        size = 0;
        for (unsigned i = 0; i < bytes_of_size; ++i) size = size << 8 | at(head + i);
        head += bytes_of_size;
    }
    std::string key;
    if (read.masked) {
        if (bytes.size() < head + 4) return std::nullopt;
        key = bytes.substr(head, 4);
        head += 4;
    }
    if (bytes.size() - head < size) return std::nullopt;
    read.payload = bytes.substr(head, size);
    for (std::size_t i = 0; read.masked && i < read.payload.size(); ++i) {
        read.payload[i] = static_cast<char>(read.payload[i] ^ key[i % 4]);
    }
    bytes.erase(0, head + size);
    return read;
}

inline std::vector<ReadFrame> take_frames(std::string& bytes) {
    std::vector<ReadFrame> frames;
    while (auto read = take_frame(bytes)) frames.push_back(*std::move(read));
    return frames;
}

}  // namespace lanyard::test
