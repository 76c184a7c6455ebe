// RawJson: a JSON value kept as its text, for payloads that pass through without being looked at.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <lanyard/json/document.hpp>

namespace lanyard {

/// A JSON value as valid JSON text. Empty means "absent".
///
/// Equality compares the text: two spellings of the same value differ.
class RawJson {
public:
    RawJson() = default;
    /// Serializes the tree.
    RawJson(Json const& json);
    /// Takes bytes that are known to be one valid JSON value, such as View::raw().
    static RawJson trusted(std::string text) {
        RawJson raw;
        raw.text_ = std::move(text);
        return raw;
    }
    /// Checks the text first.
    static Result<RawJson, json::ParseError> parse(std::string_view text,
                                                   json::ParseOptions const& options = {});

    bool empty() const noexcept { return text_.empty(); }
    std::string const& text() const noexcept { return text_; }
    /// The value as a tree; null where absent.
    Json to_json() const;

    bool operator==(RawJson const&) const = default;

private:
    std::string text_;
};

}  // namespace lanyard
