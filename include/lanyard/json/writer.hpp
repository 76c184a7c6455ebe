// Writes JSON by appending to a string. The output is compact and always valid UTF-8. No tree is
// built, and escaping uses SIMD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <lanyard/json/document.hpp>

namespace lanyard::json {

/// Appends one JSON text to a string. The writer adds commas and colons; the caller opens and
/// closes objects and arrays (begin_object ... end_object).
class Writer {
public:
    explicit Writer(std::string& out) noexcept : out_(&out) {}

    Writer& begin_object() { return open('{'); }
    Writer& end_object() { return close('}'); }
    Writer& begin_array() { return open('['); }
    Writer& end_array() { return close(']'); }

    /// Writes the name of a member; the next call has to write the value of the member. The name is
    /// escaped like any string.
    Writer& key(std::string_view name);

    Writer& null();
    Writer& boolean(bool value);
    Writer& integer(std::int64_t value);
    Writer& unsigned_integer(std::uint64_t value);
    /// Writes the shortest text that reads back as the same number. Infinity and NaN, which JSON
    /// does not have, are written as null.
    Writer& real(double value);
    /// Writes a string; bytes that are not UTF-8 become U+FFFD.
    Writer& string(std::string_view characters);
    /// Writes a string that is known to be ASCII and to need no escapes, such as base64.
    Writer& safe_string(std::string_view characters);
    /// Writes a value that is already JSON text; the caller guarantees that it is valid. Line
    /// breaks between tokens become spaces, so that a message always stays on one line.
    Writer& raw(std::string_view json);
    /// Writes a whole tree.
    Writer& value(Json const& json);

    std::string& out() noexcept { return *out_; }

private:
    void separate() {
        if (needs_comma_) out_->push_back(',');
        needs_comma_ = true;
    }
    Writer& open(char bracket) {
        separate();
        out_->push_back(bracket);
        needs_comma_ = false;
        return *this;
    }
    Writer& close(char bracket) {
        out_->push_back(bracket);
        needs_comma_ = true;
        return *this;
    }

    std::string* out_;
    bool needs_comma_ = false;
};

/// Appends the characters, escaped, without the quotes.
void append_escaped(std::string& out, std::string_view characters);

/// Appends a value that is already JSON text. Line breaks between tokens become spaces.
void append_raw(std::string& out, std::string_view json);

/// Returns the tree as compact JSON text.
std::string serialize(Json const& json);

}  // namespace lanyard::json
