// The formats ipv4, ipv6, email and idn-email.
#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "schema/format/format_checks.hpp"

namespace lanyard::schema {

namespace {

// RFC 5321 section 4.5.3.1.1.
constexpr std::size_t max_local_part = 64;

constexpr std::string_view atom_symbols = "!#$%&'*+-/=?^_`{|}~";

// "[192.0.2.1]" or "[IPv6:2001:db8::1]".
bool is_address_literal(std::string_view text) noexcept {
    if (text.size() < 2 || text.back() != ']') return false;
    text = text.substr(1, text.size() - 2);
    constexpr std::string_view tag = "IPv6:";
    return text.starts_with(tag) ? is_ipv6(text.substr(tag.size())) : is_ipv4(text);
}

// Consumes one character of an unquoted local part.
bool take_atom_character(std::string_view& text, bool unicode) noexcept {
    char32_t const c = static_cast<unsigned char>(text.front());
    if (c >= 0x80) return unicode && take_code_point(text) != no_code_point;
    if (!ascii::is_alphanumeric(c) && atom_symbols.find(text.front()) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

// Consumes the atoms of an unquoted local part and the dots between them, up to the "@".
bool take_dot_string(std::string_view& text, bool unicode) noexcept {
    bool in_atom = false;
    while (!text.starts_with('@')) {
        if (text.empty()) return false;
        if (in_atom && text.front() == '.') {
            text.remove_prefix(1);
            in_atom = false;
        } else {
            if (!take_atom_character(text, unicode)) return false;
            in_atom = true;
        }
    }
    return in_atom;
}

// Consumes a quoted local part with its quotes.
bool take_quoted_string(std::string_view& text, bool unicode) noexcept {
    text.remove_prefix(1);
    while (!text.starts_with('"')) {
        if (text.empty()) return false;
        bool const escaped = text.front() == '\\';
        if (escaped) text.remove_prefix(1);
        if (text.empty()) return false;
        char32_t const c = take_code_point(text);
        bool const ascii = c >= 0x20 && c < 0x7F;
        bool const beyond = unicode && !escaped && c >= 0x80 && c != no_code_point;
        if (!ascii && !beyond) return false;
    }
    text.remove_prefix(1);
    return true;
}

bool is_mailbox(std::string_view text, bool unicode) noexcept {
    std::size_t const size = text.size();
    bool const local =
        text.starts_with('"') ? take_quoted_string(text, unicode) : take_dot_string(text, unicode);
    if (!local || size - text.size() > max_local_part || !text.starts_with('@')) return false;
    text.remove_prefix(1);
    if (text.starts_with('[')) return is_address_literal(text);
    return unicode ? is_idn_hostname(text) : is_hostname(text);
}

}  // namespace

bool is_ipv4(std::string_view text) noexcept {
    for (int part = 0; part < 4; ++part) {
        if (part > 0) {
            if (!text.starts_with('.')) return false;
            text.remove_prefix(1);
        }
        int value = 0;
        std::size_t digits = 0;
        for (; digits < text.size() && ascii::is_digit(static_cast<unsigned char>(text[digits]));
             ++digits) {
            value = value * 10 + (text[digits] - '0');
            if (value > 255 || (digits > 0 && text.front() == '0')) return false;
        }
        if (digits == 0) return false;
        text.remove_prefix(digits);
    }
    return text.empty();
}

bool is_ipv6(std::string_view text) noexcept {
    int groups = 0;
    bool compressed = false;
    if (text.starts_with("::")) {
        text.remove_prefix(2);
        compressed = true;
    }
    // Each iteration consumes a group and the separator after it. If any text is left, another
    // group must follow.
    while (!text.empty()) {
        auto const is_hex = [](char c) {
            return ascii::is_hex_digit(static_cast<unsigned char>(c));
        };
        auto const end = std::find_if_not(text.begin(), text.end(), is_hex);
        auto const digits = static_cast<std::size_t>(end - text.begin());
        if (digits < text.size() && text[digits] == '.') {
            groups += 2;
            if (!is_ipv4(text)) return false;
            break;
        }
        if (digits == 0 || digits > 4 || ++groups > 8) return false;
        text.remove_prefix(digits);
        if (text.empty()) break;
        if (text.starts_with("::")) {
            if (compressed) return false;
            compressed = true;
            text.remove_prefix(2);
        } else if (text.starts_with(':') && text.size() > 1) {
            text.remove_prefix(1);
        } else {
            return false;
        }
    }
    return compressed ? groups < 8 : groups == 8;
}

bool is_email(std::string_view text) noexcept {
    return is_mailbox(text, false);
}

bool is_idn_email(std::string_view text) noexcept {
    return is_mailbox(text, true);
}

}  // namespace lanyard::schema
