// One check per format of JSON Schema 2020-12, grouped by theme. find_format() finds a check by the
// name of the format.
#pragma once

#include <string_view>

namespace lanyard::schema {

// RFC 3339: dates and times (section 5.6), durations (appendix A).
bool is_date(std::string_view text) noexcept;
bool is_time(std::string_view text) noexcept;
bool is_date_time(std::string_view text) noexcept;
bool is_duration(std::string_view text) noexcept;

// Addresses: RFC 2673 section 3.2, RFC 4291 section 2.2, RFC 5321 and RFC 6531 mailboxes.
bool is_ipv4(std::string_view text) noexcept;
bool is_ipv6(std::string_view text) noexcept;
bool is_email(std::string_view text) noexcept;
bool is_idn_email(std::string_view text) noexcept;

// Host names: RFC 1123 with valid A-labels, and RFC 5890 with U-labels.
bool is_hostname(std::string_view text) noexcept;
bool is_idn_hostname(std::string_view text) noexcept;

// RFC 3986 and RFC 3987.
bool is_uri(std::string_view text) noexcept;
bool is_uri_reference(std::string_view text) noexcept;
bool is_iri(std::string_view text) noexcept;
bool is_iri_reference(std::string_view text) noexcept;

}  // namespace lanyard::schema
