#include "uri_template/characters.hpp"

namespace lanyard::uri_template {

namespace {

/// One character of a URI, or the byte that a percent-encoded triplet ("%XX") stands for.
struct Unit {
    char byte;
    bool encoded;
    std::size_t size;

    // For an unreserved character, the encoded and the plain form are equal: "%41" equals "A". For
    // any other character they differ: "%2F" does not equal "/".
    bool operator==(Unit const& other) const noexcept {
        return byte == other.byte && (encoded == other.encoded || is(byte, unreserved));
    }
};

Unit unit_at(std::string_view text, std::size_t at) noexcept {
    if (is_triplet(text, at)) return {triplet_byte(text, at), true, 3};
    return {text[at], false, 1};
}

}  // namespace

void append_encoded(std::string& out, std::string_view text, CharacterSet allowed) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    bool const keep_triplets = (allowed & reserved) != 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char const c = text[at];
        if (is(c, allowed) || (keep_triplets && is_triplet(text, at))) {
            out += c;
        } else {
            auto const byte = static_cast<unsigned char>(c);
            out += '%';
            out += digits[byte >> 4];
            out += digits[byte & 15];
        }
    }
}

std::string decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        auto const unit = unit_at(text, at);
        out += unit.byte;
        at += unit.size;
    }
    return out;
}

std::string decode_keeping_reserved(std::string_view text) {
    if (text.find('%') == std::string_view::npos) return std::string(text);
    // Decodes from back to front, because whether a '%' may be decoded depends on the characters
    // after it.
    std::string out(text.size(), '\0');
    auto begin = out.size();
    auto const before_two_digits = [&] {
        return out.size() - begin >= 2 && is(out[begin], hex_digit) &&
               is(out[begin + 1], hex_digit);
    };
    for (std::size_t end = text.size(); end > 0;) {
        if (end < 3 || !is_triplet(text, end - 3)) {
            out[--begin] = text[--end];
            continue;
        }
        end -= 3;
        char const byte = triplet_byte(text, end);
        if (is(byte, reserved) || (byte == '%' && before_two_digits())) {
            begin -= 3;
            out.replace(begin, 3, text, end, 3);
        } else {
            out[--begin] = byte;
        }
    }
    out.erase(0, begin);
    return out;
}

bool equivalent(std::string_view a, std::string_view b) noexcept {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        auto const left = unit_at(a, i);
        auto const right = unit_at(b, j);
        if (left != right) return false;
        i += left.size;
        j += right.size;
    }
    return i == a.size() && j == b.size();
}

}  // namespace lanyard::uri_template
