// JSON Pointers (RFC 6901).
#pragma once

#include <string>
#include <string_view>

namespace lanyard::json {

/// Appends a step to a pointer: "/" and the name, escaped.
inline void append_pointer_step(std::string& pointer, std::string_view name) {
    pointer += '/';
    for (char const c : name) {
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
}

}  // namespace lanyard::json
