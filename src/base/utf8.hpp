// Conversion between code points and UTF-8, for the pattern translator and the format checks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanyard {

/// The result of take_code_point() for bytes that are not UTF-8; larger than every code point.
inline constexpr char32_t no_code_point = 0xFFFF'FFFF;

/// Removes the first code point from the text, which must not be empty, and returns the code point.
/// For ill-formed bytes (including overlong forms and surrogates) removes one byte and returns
/// no_code_point.
inline char32_t take_code_point(std::string_view& text) noexcept {
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    char32_t const lead = byte(0);
    std::size_t length = 1;
    char32_t code_point = lead;
    char32_t smallest = 0;
    if (lead >= 0x80) {
        if (lead >= 0xC2 && lead <= 0xDF) {
            length = 2, code_point = lead & 0x1FU, smallest = 0x80;
        } else if ((lead & 0xF0U) == 0xE0) {
            length = 3, code_point = lead & 0x0FU, smallest = 0x800;
        } else if (lead >= 0xF0 && lead <= 0xF4) {
            length = 4, code_point = lead & 0x07U, smallest = 0x10000;
        } else {
            code_point = no_code_point;
        }
        if (length > text.size()) length = 1, code_point = no_code_point;
        for (std::size_t i = 1; i < length; ++i) {
            if ((byte(i) & 0xC0U) != 0x80) {
                length = 1, code_point = no_code_point;
                break;
            }
            code_point = code_point << 6 | (byte(i) & 0x3FU);
        }
        bool const surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
        if (code_point < smallest || code_point > 0x10FFFF || surrogate) {
            length = 1, code_point = no_code_point;
        }
    }
    text.remove_prefix(length);
    return code_point;
}

/// Writes the one to four bytes of a code point and returns their number.
inline std::size_t encode_utf8(char32_t code_point, char (&out)[4]) noexcept {
    auto const continuation = [&](int shift) {
        return static_cast<char>(0x80U | (code_point >> shift & 0x3FU));
    };
    if (code_point < 0x80) {
        out[0] = static_cast<char>(code_point);
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = static_cast<char>(0xC0U | code_point >> 6);
        out[1] = continuation(0);
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = static_cast<char>(0xE0U | code_point >> 12);
        out[1] = continuation(6);
        out[2] = continuation(0);
        return 3;
    }
    out[0] = static_cast<char>(0xF0U | code_point >> 18);
    out[1] = continuation(12);
    out[2] = continuation(6);
    out[3] = continuation(0);
    return 4;
}

inline void append_utf8(std::string& out, char32_t code_point) {
    char bytes[4];
    out.append(bytes, encode_utf8(code_point, bytes));
}

}  // namespace lanyard
