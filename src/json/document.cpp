#include "lanyard/json/document.hpp"

#include <array>

#include "json/parser.hpp"

namespace lanyard::json {

std::string_view describe(Kind kind) noexcept {
    constexpr std::array<std::string_view, 8> names{"null",       "a boolean", "an integer",
                                                    "an integer", "a number",  "a string",
                                                    "an array",   "an object"};
    return names[static_cast<std::size_t>(kind)];
}

std::string ParseError::to_string() const {
    return message + " at byte " + std::to_string(offset);
}

struct Document::Parser : TextParser {};

Document::Document() : parser_(std::make_unique<Parser>()) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Result<View, ParseError> Document::parse(std::string_view text, ParseOptions const& options) {
    return parser_->parse(text, options);
}

void Document::shrink() noexcept {
    parser_->shrink();
}

Result<Json, ParseError> parse(std::string_view text, ParseOptions const& options) {
    Document document;
    return document.parse(text, options).transform([](View view) { return view.to_json(); });
}

}  // namespace lanyard::json
