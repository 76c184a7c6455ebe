#include "schema/format/idna.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"
#include "schema/format/idna_tables.hpp"
#include "schema/regex/unicode.hpp"

namespace lanyard::schema {

namespace {

constexpr char32_t middle_dot = 0xB7;
constexpr char32_t keraia = 0x375;
constexpr char32_t geresh = 0x5F3;
constexpr char32_t gershayim = 0x5F4;
constexpr char32_t zero_width_non_joiner = 0x200C;
constexpr char32_t zero_width_joiner = 0x200D;
constexpr char32_t katakana_middle_dot = 0x30FB;

bool is_arabic_indic_digit(char32_t c) noexcept {
    return c >= 0x660 && c <= 0x669;
}
bool is_extended_arabic_indic_digit(char32_t c) noexcept {
    return c >= 0x6F0 && c <= 0x6F9;
}

// Whether the code point is PVALID (RFC 5892 section 3). The exceptions are code points of section
// 2.6 that the general rule would not accept.
bool is_protocol_valid(char32_t c) noexcept {
    if (c < 0x80) return ascii::is_lower(c) || ascii::is_digit(c) || c == '-';
    constexpr char32_t exceptions[] = {0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007};
    if (std::ranges::find(exceptions, c) != std::end(exceptions)) return true;
    return !contains(disallowed_letters, c) && is_folded_letter_or_digit(c);
}

// Whether the Joining_Type is Transparent: the non-spacing marks, and one letter of Adlam.
bool is_transparent(char32_t c) noexcept {
    constexpr char32_t adlam_nasalization_mark = 0x1E94B;
    return c == adlam_nasalization_mark || is_nonspacing_mark(c);
}

bool has_virama_before(LabelText const& label, std::size_t i) noexcept {
    return i > 0 && contains(viramas, label[i - 1]);
}

// Whether the zero-width non-joiner at `i` stands between letters that would otherwise connect (RFC
// 5892 appendix A.1).
bool breaks_a_connection(LabelText const& label, std::size_t i) noexcept {
    std::size_t before = i;
    while (before > 0 && is_transparent(label[before - 1])) --before;
    std::size_t after = i + 1;
    while (after < label.size() && is_transparent(label[after])) ++after;
    if (before == 0 || after == label.size()) return false;
    char32_t const left = label[before - 1];
    char32_t const right = label[after];
    return (contains(dual_joining, left) || contains(left_joining, left)) &&
           (contains(dual_joining, right) || contains(right_joining, right));
}

// Checks the contextual rule of the code point at `i` (RFC 5892 appendix A) or, if it has none,
// that the code point is PVALID.
bool is_allowed_at(LabelText const& label, std::size_t i) noexcept {
    char32_t const previous = i > 0 ? label[i - 1] : 0;
    char32_t const next = i + 1 < label.size() ? label[i + 1] : 0;
    switch (label[i]) {
        case middle_dot:
            return previous == 'l' && next == 'l';
        case keraia:
            return is_greek(next);
        case geresh:
        case gershayim:
            return is_hebrew(previous);
        case zero_width_joiner:
            return has_virama_before(label, i);
        case zero_width_non_joiner:
            return has_virama_before(label, i) || breaks_a_connection(label, i);
        case katakana_middle_dot:
            return std::ranges::any_of(label, is_japanese);
        default:
            break;
    }
    if (is_arabic_indic_digit(label[i])) {
        return std::ranges::none_of(label, is_extended_arabic_indic_digit);
    }
    return is_protocol_valid(label[i]);
}

enum class BidiClass {
    left_to_right,
    right_to_left,  // R or AL
    arabic_number,
    european_number,
    neutral,  // ES, ON or BN
    nonspacing_mark,
};

// Returns the Bidi_Class of a code point. Correct only for code points that a valid label may
// contain; the classes CS and ET do not occur among them.
BidiClass bidi_class(char32_t c) noexcept {
    if (ascii::is_digit(c) || is_extended_arabic_indic_digit(c)) return BidiClass::european_number;
    if (is_arabic_indic_digit(c) || (c >= 0x10D30 && c <= 0x10D39)) {
        return BidiClass::arabic_number;
    }
    bool const joiner = c == zero_width_joiner || c == zero_width_non_joiner;
    if (c == '-' || joiner || contains(neutral, c)) return BidiClass::neutral;
    if (c < 0x80) return BidiClass::left_to_right;
    if (is_nonspacing_mark(c)) return BidiClass::nonspacing_mark;
    return contains(right_to_left, c) ? BidiClass::right_to_left : BidiClass::left_to_right;
}

}  // namespace

bool is_u_label(LabelText const& label) noexcept {
    if (label[0] == '-' || label[label.size() - 1] == '-' || is_mark(label[0])) return false;
    if (label.size() >= 4 && label[2] == '-' && label[3] == '-') return false;
    for (std::size_t i = 0; i < label.size(); ++i) {
        if (!is_allowed_at(label, i)) return false;
    }
    return true;
}

bool is_right_to_left(char32_t code_point) noexcept {
    auto const bidi = bidi_class(code_point);
    return bidi == BidiClass::right_to_left || bidi == BidiClass::arabic_number;
}

bool follows_bidi_rule(LabelText const& label) noexcept {
    auto const first = bidi_class(label[0]);
    bool const right_to_left = first == BidiClass::right_to_left;
    if (!right_to_left && first != BidiClass::left_to_right) return false;
    auto last = first;
    bool european = false;
    bool arabic = false;
    for (char32_t const c : label) {
        auto const bidi = bidi_class(c);
        if (bidi == BidiClass::nonspacing_mark) continue;
        if (bidi == BidiClass::left_to_right && right_to_left) return false;
        if (bidi == BidiClass::right_to_left && !right_to_left) return false;
        if (bidi == BidiClass::arabic_number && !right_to_left) return false;
        european = european || bidi == BidiClass::european_number;
        arabic = arabic || bidi == BidiClass::arabic_number;
        last = bidi;
    }
    return last != BidiClass::neutral && !(european && arabic);
}

}  // namespace lanyard::schema
