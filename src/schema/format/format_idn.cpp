// The formats hostname (RFC 1123, with A-labels of RFC 5890) and idn-hostname (RFC 5890).
#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "schema/format/format_checks.hpp"
#include "schema/format/idna.hpp"
#include "schema/format/punycode.hpp"

namespace lanyard::schema {

namespace {

constexpr std::size_t max_name = 253;
constexpr std::size_t prefix_size = 4;  // "xn--"

enum class DomainKind { ascii, unicode };

// A label, and the number of octets that it has in the DNS.
struct Label {
    LabelText text;
    std::size_t octets = 0;
};

// Whether the code point separates labels: U+002E and, in internationalized names, the full stops
// that IDNA2003 maps to it.
bool is_separator(char32_t c, DomainKind kind) noexcept {
    return c == '.' || (kind == DomainKind::unicode && (c == 0x3002 || c == 0xFF0E || c == 0xFF61));
}

// Whether the label consists of letters, digits and hyphens, without a hyphen at either end.
bool is_ldh_label(LabelText const& label) noexcept {
    auto const ldh = [](char32_t c) { return ascii::is_alphanumeric(c) || c == '-'; };
    return label[0] != '-' && label[label.size() - 1] != '-' && std::ranges::all_of(label, ldh);
}

// Replaces an A-label by the U-label it stands for; returns false if it is not a valid A-label.
bool decode_a_label(LabelText& label) noexcept {
    PunycodeText lower;
    for (auto const* c = label.begin() + prefix_size; c != label.end(); ++c) {
        lower.push_back(static_cast<char>(ascii::is_upper(*c) ? *c + ('a' - 'A') : *c));
    }
    LabelText decoded;
    if (!decode_punycode(lower.view(), decoded)) return false;
    bool const ascii = std::ranges::all_of(decoded, [](char32_t c) { return c < 0x80; });
    PunycodeText canonical;
    encode_punycode(decoded, canonical);
    if (ascii || canonical.view() != lower.view()) return false;
    label = decoded;
    return is_u_label(label);
}

bool check_ascii_label(Label& label, DomainKind kind) noexcept {
    auto& text = label.text;
    label.octets = text.size();
    if (!is_ldh_label(text)) return false;
    if (text.size() < prefix_size || text[2] != '-' || text[3] != '-') return true;
    bool const tagged = (text[0] == 'x' || text[0] == 'X') && (text[1] == 'n' || text[1] == 'N');
    // Labels with "--" after a prefix other than "xn" are reserved (RFC 5890 section 2.3.1): a host
    // name may contain them, an internationalized name may not.
    return tagged ? decode_a_label(text) : kind == DomainKind::ascii;
}

bool check_unicode_label(Label& label) noexcept {
    PunycodeText encoded;
    if (!is_u_label(label.text) || !encode_punycode(label.text, encoded)) return false;
    label.octets = prefix_size + encoded.view().size();
    return true;
}

// Consumes one label and the separator after it. Sets `more` to whether there was a separator.
bool take_label(std::string_view& text, DomainKind kind, Label& label, bool& more) noexcept {
    more = false;
    bool ascii = true;
    while (!text.empty()) {
        char32_t const c = take_code_point(text);
        if (is_separator(c, kind)) {
            more = true;
            break;
        }
        if (c == no_code_point || label.text.full()) return false;
        ascii = ascii && c < 0x80;
        label.text.push_back(c);
    }
    if (label.text.size() == 0) return false;
    if (ascii) return check_ascii_label(label, kind);
    return kind == DomainKind::unicode && check_unicode_label(label);
}

bool is_domain(std::string_view const text, DomainKind kind) noexcept {
    std::size_t octets = 0;
    bool right_to_left = false;
    bool more = true;
    for (auto rest = text; more;) {
        Label label;
        if (!take_label(rest, kind, label, more)) return false;
        octets += label.octets + (more ? 1 : 0);
        if (octets > max_name) return false;
        right_to_left = right_to_left || std::ranges::any_of(label.text, is_right_to_left);
    }
    if (!right_to_left) return true;
    // If any label is right-to-left, the Bidi rule applies to every label of the name.
    more = true;
    for (auto rest = text; more;) {
        Label label;
        take_label(rest, kind, label, more);
        if (!follows_bidi_rule(label.text)) return false;
    }
    return true;
}

}  // namespace

bool is_hostname(std::string_view text) noexcept {
    return is_domain(text, DomainKind::ascii);
}

bool is_idn_hostname(std::string_view text) noexcept {
    return is_domain(text, DomainKind::unicode);
}

}  // namespace lanyard::schema
