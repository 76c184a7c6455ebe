// The words of a line of `lanyard shell`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanyard::app {

/// Splits a line into words at spaces. Quotes and backslashes have the meaning of a POSIX shell. A
/// JSON object or array at the beginning of a word or after `=`, and a JSON string after `:=`, need
/// no quotes. A line that begins with `#` has no words. Throws Failure (usage) for a quote or
/// bracket that is not closed.
std::vector<std::string> split_line(std::string_view line);

/// Returns the word in a form that split_line() reads as this one word.
std::string quoted(std::string_view word);

}  // namespace lanyard::app
