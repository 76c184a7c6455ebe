// The formats uri, uri-reference (RFC 3986), iri and iri-reference (RFC 3987).
#include <algorithm>
#include <cstddef>

#include "schema/ascii.hpp"
#include "schema/format_checks.hpp"
#include "schema/utf8.hpp"

namespace lanyard::schema {

namespace {

enum class Alphabet { uri, iri };

constexpr std::string_view unreserved_and_sub_delims = "-._~!$&'()*+,;=";

// ucschar: all but the private use areas, the non-characters and the specials of each plane.
bool is_ucschar(char32_t c) noexcept {
    if (c < 0x10000) {
        return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) ||
               (c >= 0xFDF0 && c <= 0xFFEF);
    }
    return c <= 0xEFFFD && (c & 0xFFFFU) <= 0xFFFD && !(c >= 0xE0000 && c < 0xE1000);
}

bool is_iprivate(char32_t c) noexcept {
    return (c >= 0xE000 && c <= 0xF8FF) ||
           (c >= 0xF0000 && c <= 0x10FFFD && (c & 0xFFFFU) <= 0xFFFD);
}

// Whether the text consists of unreserved characters, sub-delims, percent-encoded bytes and the
// extra characters; in an IRI also of characters beyond ASCII.
bool consists_of(std::string_view text, std::string_view extra, Alphabet alphabet,
                 bool private_use = false) noexcept {
    while (!text.empty()) {
        char const c = text.front();
        auto const code = static_cast<unsigned char>(c);
        if (c == '%') {
            bool const encoded = text.size() >= 3 &&
                                 is_hex_digit(static_cast<unsigned char>(text[1])) &&
                                 is_hex_digit(static_cast<unsigned char>(text[2]));
            if (!encoded) return false;
            text.remove_prefix(3);
        } else if (code >= 0x80) {
            if (alphabet == Alphabet::uri) return false;
            char32_t const code_point = take_code_point(text);
            if (!is_ucschar(code_point) && !(private_use && is_iprivate(code_point))) return false;
        } else {
            bool const allowed = is_alphanumeric(code) ||
                                 unreserved_and_sub_delims.find(c) != std::string_view::npos ||
                                 extra.find(c) != std::string_view::npos;
            if (!allowed) return false;
            text.remove_prefix(1);
        }
    }
    return true;
}

// The part before the first of these characters; text keeps the rest.
std::string_view take_until(std::string_view& text, std::string_view delimiters) noexcept {
    auto const part = text.substr(0, text.find_first_of(delimiters));
    text.remove_prefix(part.size());
    return part;
}

// What stands between the brackets of an IP literal.
bool is_ip_literal(std::string_view text) noexcept {
    if (!text.starts_with('v') && !text.starts_with('V')) return is_ipv6(text);
    text.remove_prefix(1);
    auto const version = take_until(text, ".");
    auto const hex = [](char c) { return is_hex_digit(static_cast<unsigned char>(c)); };
    return !version.empty() && std::ranges::all_of(version, hex) && text.size() > 1 &&
           text.find('%') == std::string_view::npos &&
           consists_of(text.substr(1), ":", Alphabet::uri);
}

bool is_authority(std::string_view text, Alphabet alphabet) noexcept {
    if (auto const at = text.find('@'); at != std::string_view::npos) {
        if (!consists_of(text.substr(0, at), ":", alphabet)) return false;
        text.remove_prefix(at + 1);
    }
    if (text.starts_with('[')) {
        auto const close = text.find(']');
        if (close == std::string_view::npos || !is_ip_literal(text.substr(1, close - 1)))
            return false;
        text.remove_prefix(close + 1);
    } else if (!consists_of(take_until(text, ":"), "", alphabet)) {
        return false;
    }
    if (text.empty()) return true;
    auto const digit = [](char c) { return is_digit(static_cast<unsigned char>(c)); };
    return text.front() == ':' && std::ranges::all_of(text.substr(1), digit);
}

// Takes the scheme and its colon; false where the text does not begin with one.
bool take_scheme(std::string_view& text) noexcept {
    auto rest = text;
    auto const scheme = take_until(rest, ":/?#");
    auto const allowed = [](char c) {
        return is_alphanumeric(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
    };
    if (!rest.starts_with(':') || scheme.empty()) return false;
    if (!is_letter(static_cast<unsigned char>(scheme.front()))) return false;
    if (!std::ranges::all_of(scheme, allowed)) return false;
    text = rest.substr(1);
    return true;
}

bool is_reference(std::string_view text, Alphabet alphabet, bool scheme_needed) noexcept {
    bool const has_scheme = take_scheme(text);
    if (scheme_needed && !has_scheme) return false;
    bool const has_authority = text.starts_with("//");
    if (has_authority) {
        text.remove_prefix(2);
        if (!is_authority(take_until(text, "/?#"), alphabet)) return false;
    }
    auto const path = take_until(text, "?#");
    // A colon in the first segment of a relative path would end a scheme.
    if (!has_scheme && path.substr(0, path.find('/')).find(':') != std::string_view::npos) {
        return false;
    }
    if (!consists_of(path, ":@/", alphabet)) return false;
    if (text.starts_with('?')) {
        text.remove_prefix(1);
        if (!consists_of(take_until(text, "#"), ":@/?", alphabet, true)) return false;
    }
    if (!text.empty()) text.remove_prefix(1);
    return consists_of(text, ":@/?", alphabet);
}

}  // namespace

bool is_uri(std::string_view text) noexcept {
    return is_reference(text, Alphabet::uri, true);
}

bool is_uri_reference(std::string_view text) noexcept {
    return is_reference(text, Alphabet::uri, false);
}

bool is_iri(std::string_view text) noexcept {
    return is_reference(text, Alphabet::iri, true);
}

bool is_iri_reference(std::string_view text) noexcept {
    return is_reference(text, Alphabet::iri, false);
}

}  // namespace lanyard::schema
