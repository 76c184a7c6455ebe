// Reads bytes that a test gives as hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace lanyard::test {

inline std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
    }
    return bytes;
}

}  // namespace lanyard::test
