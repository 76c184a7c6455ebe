#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "characters.hpp"

namespace lanyard::app {
namespace {

std::size_t columns_of_terminal(int descriptor) {
    winsize size{};
    if (isatty(descriptor) != 1 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

}  // namespace

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
    return columns_of_terminal(STDOUT_FILENO);
}

std::size_t error_terminal_width() {
    return columns_of_terminal(STDERR_FILENO);
}

namespace {

// The characters of Unicode's property Bidi_Control. They are invisible, and change the order in
// which the text around them is shown.
bool reorders_text(char32_t code) {
    return code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// U+0080 to U+009F are control characters, too. U+2028 and U+2029 break lines, but the functions
// that measure text do not count them as line breaks.
bool is_control(char32_t code) {
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code <= 0x9F) ||
           code == 0x2028 || code == 0x2029 || reorders_text(code);
}

/// Returns the position after the string that begins at this position of valid JSON.
std::size_t end_of_string(std::string_view json, std::size_t at) {
    for (++at; at < json.size() && json[at] != '"'; ++at) {
        if (json[at] == '\\') ++at;
    }
    return at + 1;
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

std::string first_line(std::string_view text) {
    auto line = without_control_characters(text.substr(0, text.find('\n')));
    std::ranges::replace(line, '\t', ' ');
    return line;
}

std::string escaped_json(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size();) {
        auto const next = character_at(json, i);
        if (!next.valid) {
            out += "\\uFFFD";
        } else if (is_control(next.code)) {
            out += "\\u";
            append_hex(out, next.code, 4);
        } else {
            out.append(json.substr(i, next.size));
        }
        i += next.size;
    }
    return out;
}

std::string indented_json(std::string_view json) {
    std::string out;
    std::size_t depth = 0;
    auto const new_line = [&] { out.append("\n").append(2 * depth, ' '); };
    for (std::size_t i = 0; i < json.size(); ++i) {
        char const c = json[i];
        if (c == '"') {
            auto const end = end_of_string(json, i);
            out.append(json.substr(i, end - i));
            i = end - 1;
        } else if (c == '{' || c == '[') {
            out += c;
            // An empty object or array stays on one line.
            auto const next = json.find_first_not_of(" \t\r\n", i + 1);
            if (next != json.npos && (json[next] == '}' || json[next] == ']')) {
                out += json[next];
                i = next;
            } else {
                ++depth;
                new_line();
            }
        } else if (c == '}' || c == ']') {
            --depth;
            new_line();
            out += c;
        } else if (c == ',') {
            out += c;
            new_line();
        } else if (c == ':') {
            out += ": ";
        } else if (c > ' ') {
            out += c;
        }
    }
    return out;
}

std::string for_terminal(std::string_view text) {
    return stdout_is_terminal() ? without_control_characters(text) : std::string(text);
}

}  // namespace lanyard::app
