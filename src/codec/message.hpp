// Pieces of the messages that explain why a value was refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lanyard/json/document.hpp"
#include "lanyard/reflect/attributes.hpp"

namespace lanyard::codec {

/// Returns the characters in quotes, escaped as in JSON and truncated if they are long.
std::string quoted(std::string_view characters);

/// Describes a value for a message: a scalar as it is (truncated if long), any other value by its
/// kind.
std::string shown(json::View view);

/// Returns the number as JSON text.
std::string to_string(reflect::Number number);

/// Finds the candidate that differs from the name only by a typing mistake; best() is empty if none
/// does.
class Suggestion {
public:
    explicit Suggestion(std::string_view name) noexcept : name_(name) {}
    void consider(std::string_view candidate) noexcept;
    std::string_view best() const noexcept { return best_; }

private:
    std::string_view name_;
    std::string_view best_;
    std::size_t distance_ = 3;
};

}  // namespace lanyard::codec
