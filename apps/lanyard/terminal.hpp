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

/// The text with control characters made visible, so that a server cannot drive the terminal; line
/// breaks and tabs stay. Unchanged where stdout is no terminal.
std::string for_terminal(std::string_view text);

/// The same, whatever stdout is.
std::string without_control_characters(std::string_view text);

}  // namespace lanyard::app
