// What the program knows about the terminal it may be running on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanyard::app {

bool stdin_is_terminal();
bool stdout_is_terminal();
bool stderr_is_terminal();

/// Columns of the terminal on stdout; 0 where there is none.
std::size_t terminal_width();

/// The text with control characters made visible, so that a server cannot drive the terminal: C0,
/// C1, DEL, characters that reorder text (U+202A to U+202E, U+2066 to U+2069), and bytes that are
/// not UTF-8. Line breaks and tabs stay. Unchanged if stdout is no terminal.
std::string for_terminal(std::string_view text);

/// The same, whatever stdout is.
std::string without_control_characters(std::string_view text);

/// The same JSON with those characters escaped (`\u009B`). They occur inside strings only, so the
/// value does not change.
std::string escaped_json(std::string_view json);

}  // namespace lanyard::app
