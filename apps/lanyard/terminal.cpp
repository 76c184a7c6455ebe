#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/control_characters.hpp"

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

/// Returns the position after the string that begins at this position of valid JSON.
std::size_t end_of_string(std::string_view json, std::size_t at) {
    for (++at; at < json.size() && json[at] != '"'; ++at) {
        if (json[at] == '\\') ++at;
    }
    return at + 1;
}

}  // namespace

std::string without_control_characters(std::string_view text) {
    return visible_text(text);
}

std::string first_line(std::string_view text) {
    auto line = without_control_characters(text.substr(0, text.find('\n')));
    std::ranges::replace(line, '\t', ' ');
    return line;
}

std::string escaped_json(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        auto const before = json;
        auto const code = take_code_point(json);
        if (code == no_code_point) {
            out += "\\uFFFD";
        } else if (is_control(code)) {
            out += "\\u";
            append_hex(out, code, 4);
        } else {
            out.append(before.substr(0, before.size() - json.size()));
        }
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
