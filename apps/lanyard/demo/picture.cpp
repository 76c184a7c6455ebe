// A minimal PNG writer: one image, without compression (RFC 1951 stored blocks).
#include "demo/picture.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanyard::app::demo {
namespace {

constexpr std::uint32_t side = 32;

void append_big_endian(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFFU);
}

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (char const byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ (crc & 1U) * 0xEDB88320U;
    }
    return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (char const byte : bytes) {
        low = (low + static_cast<unsigned char>(byte)) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16U | low;
}

void append_chunk(std::string& png, std::string_view type, std::string const& data) {
    append_big_endian(png, static_cast<std::uint32_t>(data.size()));
    auto const checked = std::string(type) + data;
    png += checked;
    append_big_endian(png, crc32(checked));
}

/// Returns rows of RGB pixels; each row starts with a byte that means "no filter".
std::string pixels() {
    std::string rows;
    for (std::uint32_t y = 0; y < side; ++y) {
        rows += '\0';
        for (std::uint32_t x = 0; x < side; ++x) {
            rows += static_cast<char>(x * 8);
            rows += static_cast<char>(y * 8);
            rows += static_cast<char>(160);
        }
    }
    return rows;
}

/// Wraps the data as a zlib stream with a single stored block.
std::string stored(std::string const& data) {
    auto const size = static_cast<std::uint32_t>(data.size());
    std::string out("\x78\x01\x01", 3);
    for (auto const part : {size, ~size}) {
        out += static_cast<char>(part & 0xFFU);
        out += static_cast<char>(part >> 8U & 0xFFU);
    }
    out += data;
    append_big_endian(out, adler32(data));
    return out;
}

}  // namespace

std::string picture_png() {
    std::string header;
    append_big_endian(header, side);
    append_big_endian(header, side);
    header += std::string("\x08\x02\0\0\0", 5);  // 8 bits, RGB, no interlace
    std::string png("\x89PNG\r\n\x1A\n", 8);
    append_chunk(png, "IHDR", header);
    append_chunk(png, "IDAT", stored(pixels()));
    append_chunk(png, "IEND", "");
    return png;
}

}  // namespace lanyard::app::demo
