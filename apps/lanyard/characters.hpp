// The characters of UTF-8 text, and the columns that they take on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanyard::app {

/// One character of a text, or one byte that is not part of a UTF-8 character.
struct Character {
    char32_t code = 0;
    std::size_t size = 1;  ///< in bytes
    bool valid = true;     ///< false if the byte is not part of a UTF-8 character
};

/// Returns the character that begins at this byte of the text.
Character character_at(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

/// Returns the number of columns that the text takes on a terminal: 2 for wide characters (Chinese,
/// Japanese, Korean, emoji), 0 for combining ones, 1 for all others.
std::size_t columns(std::string_view text);

/// Shortens the text to at most this many columns; an ellipsis replaces the end that is left out.
std::string cut(std::string_view text, std::size_t width);

/// Breaks the text at spaces into lines and indents each line. A line has at most `width` columns,
/// including its indentation; if `width` is 0, there is no limit. Existing line breaks are kept,
/// and the last line gets a line break, too. A word that is wider than a line is broken. If a line
/// was broken, its continuation is indented by `more` additional columns.
std::string wrapped(std::string_view text, std::size_t indentation, std::size_t width,
                    std::size_t more = 0);

}  // namespace lanyard::app
