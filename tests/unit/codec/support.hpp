// Shorthands for tests of the codec.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lanyard/codec.hpp"

namespace lanyard::test {

/// Returns why the text is refused, or "accepted".
template <class T>
std::string refusal(std::string_view text, std::optional<Version> version = std::nullopt) {
    auto const result = decode_text<T>(text, version);
    return result ? "accepted" : result.error().to_string();
}

/// Decodes the text and encodes the result; returns that, or why the text is refused.
template <class T>
std::string round_trip(std::string_view text, std::optional<Version> version = std::nullopt) {
    auto const result = decode_text<T>(text, version);
    return result ? to_json_text(*result, {version}) : result.error().to_string();
}

}  // namespace lanyard::test
