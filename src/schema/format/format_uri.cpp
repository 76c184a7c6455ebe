// The formats uri, uri-reference (RFC 3986), iri and iri-reference (RFC 3987).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "schema/format/format_checks.hpp"

namespace lanyard::schema {

namespace {

enum class Alphabet { uri, iri };

// Classes of ASCII characters, as bits. Which classes may appear unencoded depends on the part of
// the URI.
enum UriPart : std::uint8_t {
    everywhere = 1,  // unreserved and sub-delims
    colon = 2,
    at_sign = 4,
    slash = 8,
    question_mark = 16,
};
constexpr unsigned path_places = everywhere | colon | at_sign | slash;
constexpr unsigned query_places = path_places | question_mark;

constexpr auto places = [] {
    std::array<std::uint8_t, 128> table{};
    for (char32_t c = 0; c < table.size(); ++c) {
        if (ascii::is_alphanumeric(c)) table[c] = everywhere;
    }
    for (char const c : std::string_view("-._~!$&'()*+,;=")) {
        table[static_cast<unsigned char>(c)] = everywhere;
    }
    table[':'] = colon;
    table['@'] = at_sign;
    table['/'] = slash;
    table['?'] = question_mark;
    return table;
}();

// `ucschar` of RFC 3987: all characters beyond ASCII except the private use areas, non-characters
// and specials of each plane.
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

// Whether the text consists of percent-encoded bytes, characters of the allowed classes and, in an
// IRI, characters beyond ASCII. Private-use characters are allowed only if `private_use` is true.
bool consists_of(std::string_view text, unsigned allowed, Alphabet alphabet,
                 bool private_use = false) noexcept {
    while (!text.empty()) {
        auto const c = static_cast<unsigned char>(text.front());
        if (c == '%') {
            bool const encoded = text.size() >= 3 &&
                                 ascii::is_hex_digit(static_cast<unsigned char>(text[1])) &&
                                 ascii::is_hex_digit(static_cast<unsigned char>(text[2]));
            if (!encoded) return false;
            text.remove_prefix(3);
        } else if (c >= places.size()) {
            if (alphabet == Alphabet::uri) return false;
            char32_t const code_point = take_code_point(text);
            if (!is_ucschar(code_point) && !(private_use && is_iprivate(code_point))) return false;
        } else {
            if ((places[c] & allowed) == 0) return false;
            text.remove_prefix(1);
        }
    }
    return true;
}

// Consumes the text up to and including the delimiter, or all of it if there is no delimiter.
// Returns the part before the delimiter.
std::string_view take_until(std::string_view& text, char delimiter) noexcept {
    auto const part = text.substr(0, text.find(delimiter));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

bool is_hex(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](unsigned char c) { return ascii::is_hex_digit(c); });
}

// Checks the text between the brackets of an IP literal.
bool is_ip_literal(std::string_view text) noexcept {
    if (!text.starts_with('v') && !text.starts_with('V')) return is_ipv6(text);
    text.remove_prefix(1);
    auto const version = take_until(text, '.');
    return !version.empty() && is_hex(version) && !text.empty() &&
           text.find('%') == std::string_view::npos &&
           consists_of(text, everywhere | colon, Alphabet::uri);
}

// Checks the end of an authority: nothing, or a colon and digits.
bool is_port(std::string_view text) noexcept {
    if (text.empty()) return true;
    auto const digit = [](unsigned char c) { return ascii::is_digit(c); };
    return text.front() == ':' && std::ranges::all_of(text.substr(1), digit);
}

bool is_authority(std::string_view text, Alphabet alphabet) noexcept {
    if (text.find('@') != std::string_view::npos &&
        !consists_of(take_until(text, '@'), everywhere | colon, alphabet)) {
        return false;
    }
    if (text.starts_with('[')) {
        auto const close = text.find(']');
        return close != std::string_view::npos && is_ip_literal(text.substr(1, close - 1)) &&
               is_port(text.substr(close + 1));
    }
    auto const host = text.substr(0, text.find(':'));
    return consists_of(host, everywhere, alphabet) && is_port(text.substr(host.size()));
}

// Consumes the scheme and its colon; returns false if the text does not begin with a scheme.
bool take_scheme(std::string_view& text) noexcept {
    auto const scheme = text.substr(0, text.find(':'));
    auto const allowed = [](unsigned char c) {
        return ascii::is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
    };
    if (scheme.empty() || scheme.size() == text.size()) return false;
    if (!ascii::is_letter(static_cast<unsigned char>(scheme.front()))) return false;
    if (!std::ranges::all_of(scheme, allowed)) return false;
    text.remove_prefix(scheme.size() + 1);
    return true;
}

bool is_reference(std::string_view text, Alphabet alphabet, bool scheme_needed) noexcept {
    auto fragment = text;
    text = take_until(fragment, '#');
    auto query = text;
    text = take_until(query, '?');
    bool const has_scheme = take_scheme(text);
    if (scheme_needed && !has_scheme) return false;
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        auto const authority = text.substr(0, text.find('/'));
        if (!is_authority(authority, alphabet)) return false;
        text.remove_prefix(authority.size());
    }
    // A colon in the first segment of a relative path is refused, because it would be read as the
    // end of a scheme.
    auto const first_segment = text.substr(0, text.find('/'));
    if (!has_scheme && first_segment.find(':') != std::string_view::npos) return false;
    return consists_of(text, path_places, alphabet) &&
           consists_of(query, query_places, alphabet, true) &&
           consists_of(fragment, query_places, alphabet);
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
