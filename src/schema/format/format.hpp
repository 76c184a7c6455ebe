// The formats of JSON Schema 2020-12 (validation, section 7.3).
#pragma once

#include <string_view>

namespace lanyard::schema {

/// Returns whether a string (UTF-8) conforms to a format. Takes linear time; never throws.
using FormatCheck = bool (*)(std::string_view);

/// Returns the check of a format, or nullptr if the format is unknown and thus only an annotation.
FormatCheck find_format(std::string_view name) noexcept;

}  // namespace lanyard::schema
