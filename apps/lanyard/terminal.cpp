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

std::string without_control_characters(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const byte = static_cast<unsigned char>(text[i]);
        // U+0080 to U+009F are control characters too; in UTF-8 they are C2 80 to C2 9F.
        bool const c1 = byte == 0xC2 && i + 1 < text.size() &&
                        static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                        static_cast<unsigned char>(text[i + 1]) <= 0x9F;
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || c1) {
            constexpr char digits[] = "0123456789ABCDEF";
            auto const shown = c1 ? static_cast<unsigned char>(text[++i]) : byte;
            out += "\\x";
            out += digits[shown >> 4U];
            out += digits[shown & 15U];
        } else {
            out += static_cast<char>(byte);
        }
    }
    return out;
}

std::string for_terminal(std::string_view text) {
    return stdout_is_terminal() ? without_control_characters(text) : std::string(text);
}

}  // namespace lanyard::app
