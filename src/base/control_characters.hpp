// Control characters, and how text that contains them is shown, in logs and on terminals.
#pragma once

#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace lanyard {

/// Whether the character belongs to Unicode's property Bidi_Control. These characters are invisible
/// and change the order in which the text around them is shown.
constexpr bool reorders_text(char32_t code) noexcept {
    return code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Whether the character could control a terminal or change how text is laid out: C0 except line
/// breaks and tabs, DEL, C1, U+2028, U+2029 and those that reorder text.
constexpr bool is_control(char32_t code) noexcept {
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code <= 0x9F) ||
           code == 0x2028 || code == 0x2029 || reorders_text(code);
}

/// Appends this number of uppercase hexadecimal digits.
inline void append_hex(std::string& out, char32_t code, int digits) {
    constexpr char names[] = "0123456789ABCDEF";
    for (int i = digits - 1; i >= 0; --i) out += names[code >> (4 * i) & 15U];
}

/// Removes the first character from the text, which must not be empty, and appends it. Control
/// characters and bytes that are not UTF-8 are escaped: `\x1B`, `\u202E`.
inline void append_visible_character(std::string& out, std::string_view& text) {
    auto const before = text;
    auto const code = take_code_point(text);
    if (code == no_code_point) {
        out += "\\x";
        append_hex(out, static_cast<unsigned char>(before.front()), 2);
    } else if (!is_control(code)) {
        out.append(before.substr(0, before.size() - text.size()));
    } else if (code <= 0xFF) {
        out += "\\x";
        append_hex(out, code, 2);
    } else {
        out += "\\u";
        append_hex(out, code, 4);
    }
}

/// Returns the text with visible control characters. Line breaks and tabs are kept.
inline std::string visible_text(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) append_visible_character(out, text);
    return out;
}

/// Returns the text as one line with visible control characters; line breaks become `\n`. Tabs are
/// kept. The result has at most `most` bytes: a longer one is cut after a character, and ends with
/// "...".
inline std::string visible_line(std::string_view text, std::size_t most = std::string::npos) {
    constexpr std::string_view ellipsis = "...";
    std::string out;
    out.reserve(text.size() < most ? text.size() : most);
    std::size_t fits = 0;  // the size up to which an ellipsis has room
    while (!text.empty()) {
        if (text.front() == '\n') {
            out += "\\n";
            text.remove_prefix(1);
        } else {
            append_visible_character(out, text);
        }
        if (out.size() > most) return out.erase(fits).append(ellipsis);
        if (out.size() + ellipsis.size() <= most) fits = out.size();
    }
    return out;
}

}  // namespace lanyard
