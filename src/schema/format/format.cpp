#include "schema/format/format.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/ascii.hpp"
#include "schema/format/format_checks.hpp"
#include "schema/regex/ecma_regex.hpp"
#include "uri_template/syntax.hpp"

namespace lanyard::schema {

namespace {

// Whether the text is a UUID (RFC 4122 section 3).
bool is_uuid(std::string_view text) noexcept {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
        auto const c = static_cast<unsigned char>(text[i]);
        if (dash ? c != '-' : !ascii::is_hex_digit(c)) return false;
    }
    return true;
}

// Whether the text is a JSON pointer (RFC 6901 section 3).
bool is_json_pointer(std::string_view text) noexcept {
    if (!text.empty() && text.front() != '/') return false;
    for (auto tilde = text.find('~'); tilde != std::string_view::npos;
         tilde = text.find('~', tilde + 1)) {
        auto const escape = text.substr(tilde + 1, 1);
        if (escape != "0" && escape != "1") return false;
    }
    return true;
}

// Whether the text is a relative JSON pointer (draft-bhutton-relative-json-pointer-00 section 3).
// Index manipulation, as in "0+1", is not supported.
bool is_relative_json_pointer(std::string_view text) noexcept {
    auto const digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
    return text == "#" || is_json_pointer(text);
}

// Whether the pattern is valid ECMA-262, even if RE2 cannot run it.
bool is_regex(std::string_view text) {
    return read_ecma_regex(text).has_value();
}

// Whether the text is a URI template (RFC 6570) within the limits of class UriTemplate.
bool is_uri_template(std::string_view text) {
    return uri_template::parse(text).has_value();
}

struct Format {
    std::string_view name;
    FormatCheck check;
};

constexpr Format formats[] = {
    {"date", is_date},
    {"date-time", is_date_time},
    {"duration", is_duration},
    {"email", is_email},
    {"hostname", is_hostname},
    {"idn-email", is_idn_email},
    {"idn-hostname", is_idn_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"iri", is_iri},
    {"iri-reference", is_iri_reference},
    {"json-pointer", is_json_pointer},
    {"regex", is_regex},
    {"relative-json-pointer", is_relative_json_pointer},
    {"time", is_time},
    {"uri", is_uri},
    {"uri-reference", is_uri_reference},
    {"uri-template", is_uri_template},
    {"uuid", is_uuid},
};

}  // namespace

FormatCheck find_format(std::string_view name) noexcept {
    auto const format = std::ranges::lower_bound(formats, name, {}, &Format::name);
    return format != std::end(formats) && format->name == name ? format->check : nullptr;
}

}  // namespace lanyard::schema
