// The formats of JSON Schema 2020-12 (validation, section 7.3).
#pragma once

#include <string_view>

namespace lanyard::schema {

/// Whether a string (UTF-8) conforms to a format. Linear in the string; never throws.
using FormatCheck = bool (*)(std::string_view);

/// The check of a format; nullptr where the format is unknown (then it is only an annotation).
FormatCheck find_format(std::string_view name) noexcept;

}  // namespace lanyard::schema
