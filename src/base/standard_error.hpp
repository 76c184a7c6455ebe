// Lines for whoever started the program. Not through std::cerr: <iostream> sets up streams and
// locales when a program starts, which costs each server 0.4 MiB.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace lanyard {

/// Writes the parts as one line to the standard error; a line of another thread does not mix with
/// it.
inline void print_error_line(std::initializer_list<std::string_view> parts) {
    std::string line;
    for (auto const part : parts) line += part;
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace lanyard
