// The HTTP methods that the library distinguishes.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanyard::http {

enum class Method : std::uint8_t { get, post, delete_, options, other };

/// Returns the method's name, such as "DELETE"; empty for Method::other.
constexpr std::string_view to_string(Method method) noexcept {
    switch (method) {
        case Method::get:
            return "GET";
        case Method::post:
            return "POST";
        case Method::delete_:
            return "DELETE";
        case Method::options:
            return "OPTIONS";
        case Method::other:
            break;
    }
    return {};
}

}  // namespace lanyard::http
