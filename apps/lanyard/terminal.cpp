#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace lanyard::app {

bool stdin_is_terminal() {
    return isatty(STDIN_FILENO) == 1;
}

bool stdout_is_terminal() {
    return isatty(STDOUT_FILENO) == 1;
}

bool stderr_is_terminal() {
    return isatty(STDERR_FILENO) == 1;
}

std::size_t terminal_width() {
    winsize size{};
    if (!stdout_is_terminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

namespace {

struct Character {
    char32_t code = 0;
    std::size_t size = 1;  // in bytes
    bool valid = true;     // false: a byte that is not part of a UTF-8 character
};

Character character_at(std::string_view text, std::size_t at) {
    auto const lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) return {.code = lead};
    std::size_t const size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    Character result{.code = lead & (0xFFU >> (size + 1)), .size = size};
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < size) return {lead, 1, false};
    for (auto const next : text.substr(at + 1, size - 1)) {
        auto const byte = static_cast<unsigned char>(next);
        if ((byte & 0xC0U) != 0x80U) return {lead, 1, false};
        result.code = result.code << 6U | (byte & 0x3FU);
    }
    return result;
}

// U+0080 to U+009F are also control characters; the characters of the last two ranges reorder the
// text around them.
bool is_control(char32_t code) {
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code <= 0x9F) ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

void append_hex(std::string& out, char32_t code, int digits) {
    constexpr char names[] = "0123456789ABCDEF";
    for (int i = digits - 1; i >= 0; --i) out += names[code >> (4 * i) & 15U];
}

}  // namespace

std::string without_control_characters(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        auto const next = character_at(text, i);
        if (next.valid && !is_control(next.code)) {
            out.append(text.substr(i, next.size));
        } else if (next.code <= 0xFF) {
            out += "\\x";
            append_hex(out, next.code, 2);
        } else {
            out += "\\u";
            append_hex(out, next.code, 4);
        }
        i += next.size;
    }
    return out;
}

std::string escaped_json(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size();) {
        auto const next = character_at(json, i);
        if (next.valid && is_control(next.code)) {
            out += "\\u";
            append_hex(out, next.code, 4);
        } else {
            out.append(json.substr(i, next.size));
        }
        i += next.size;
    }
    return out;
}

std::string for_terminal(std::string_view text) {
    return stdout_is_terminal() ? without_control_characters(text) : std::string(text);
}

}  // namespace lanyard::app
