// RawJson: a JSON value kept as text, for payloads that are passed on without being decoded.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <lanyard/json/document.hpp>

namespace lanyard {

/// A JSON value as valid JSON text. Empty means "absent".
///
/// Equality compares the text: 1.0 and 1.00 are different.
class RawJson {
public:
    RawJson() = default;
    /// Serializes the tree.
    RawJson(Json const& json);
    /// Wraps bytes that are known to be one valid JSON value, such as View::raw(). Does not check
    /// them.
    static RawJson trusted(std::string text) {
        RawJson raw;
        raw.text_ = std::move(text);
        return raw;
    }
    /// Checks that the text is one valid JSON value, and wraps it.
    static Result<RawJson, json::ParseError> parse(std::string_view text,
                                                   json::ParseOptions const& options = {});

    bool empty() const noexcept { return text_.empty(); }
    std::string const& text() const noexcept { return text_; }
    /// Returns the value as a tree; null if the value is absent.
    Json to_json() const;

    bool operator==(RawJson const&) const = default;

private:
    std::string text_;
};

}  // namespace lanyard
