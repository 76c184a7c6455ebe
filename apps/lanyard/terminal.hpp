// Properties of the terminal, and functions that make text safe to print on it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanyard::app {

bool stdin_is_terminal();
bool stdout_is_terminal();
bool stderr_is_terminal();

/// The number of columns of the terminal on stdout; 0 if stdout is not a terminal.
std::size_t terminal_width();

/// The number of columns of the terminal on stderr; 0 if stderr is not a terminal.
std::size_t error_terminal_width();

/// Makes control characters visible, so that a server cannot control the terminal: C0, C1, DEL,
/// U+2028, U+2029, those that reorder text (Unicode's Bidi_Control), and bytes that are not UTF-8.
/// Line breaks and tabs are kept. Returns the text unchanged if stdout is not a terminal.
std::string for_terminal(std::string_view text);

/// Same as for_terminal(), even if stdout is not a terminal.
std::string without_control_characters(std::string_view text);

/// Returns the first line of the text, with control characters made visible and tabs replaced by
/// spaces, so that its width is known.
std::string first_line(std::string_view text);

/// Escapes in JSON the characters that for_terminal() makes visible (`\u009B`). They occur only
/// inside strings, so the JSON value stays the same. Bytes that are not UTF-8 become U+FFFD.
std::string escaped_json(std::string_view json);

/// Returns valid JSON in several lines, with two spaces of indentation for each level.
std::string indented_json(std::string_view json);

}  // namespace lanyard::app
