// Pieces of the sentences that say why a value was refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lanyard/json/document.hpp"
#include "lanyard/reflect/attributes.hpp"

namespace lanyard::codec {

/// The characters in quotes, escaped as JSON, cut where they are long.
std::string quoted(std::string_view characters);

/// What was found, in short: scalars as they are (cut where they are long), else the kind.
std::string shown(json::View view);

/// The number as it would stand in JSON.
std::string to_string(reflect::Number number);

/// The candidate that differs from the name by a typing mistake, or nothing.
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
